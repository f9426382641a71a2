import { render } from 'preact';
import { OutboxPage } from '../../ui/outbox-page.tsx';
import '../../ui/pages.css';
import { exportCapture } from './export-capture.ts';

render(<OutboxPage onExport={exportCapture} />, document.getElementById('app')!);
