import { render } from 'preact';
import { PopupPage } from '../../ui/popup-page.tsx';
import '../../ui/pages.css';

render(<PopupPage />, document.getElementById('app')!);
