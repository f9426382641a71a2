import { render } from 'preact';
import { OptionsPage } from '../../ui/options-page.tsx';
import { readPairingLink } from '../../ui/pairing-link.ts';
import '../../ui/pages.css';

const link = readPairingLink(location.hash);
// The code leaves the address bar and the history before it is used.
if (link) history.replaceState(null, '', location.pathname);
render(<OptionsPage link={link} />, document.getElementById('app')!);
