import { render } from 'preact';
import { App } from './app.tsx';
import { startRouter } from './router.ts';
import { flushDeletionsOnLeave } from './shell/deletions.ts';
import '../../../shared/ui-base.css';
import '../../../shared/ui-controls.css';
import './styles/shell.css';
import './styles/library.css';
import './styles/snapshot.css';
import './styles/compare.css';

const root = document.getElementById('app');
if (!root) throw new Error('index.html has no element "app"');
startRouter();
flushDeletionsOnLeave();
render(<App />, root);
