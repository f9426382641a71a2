import type { Outcome } from '../messaging/messages.ts';
import { sendMessage } from '../messaging/send-message.ts';
import type { CaptureView, PopupState } from '../messaging/view-model.ts';
import type { ButtonAction, PrimaryAction } from './capture-words.ts';

/** Does one act on a capture; `tabId` is the tab that shows its page now. */
export function runAction(action: ButtonAction, { id }: CaptureView, tabId: number | undefined): Promise<Outcome> {
  switch (action) {
    case 'keep_again':
      return keepTab(tabId);
    case 'send_as_new':
      return sendMessage('sendAsNew', { id });
    case 'retry':
      return sendMessage('retryOutbox', {});
    case 'discard':
      return sendMessage('discardCapture', { id });
    case 'cancel':
      return sendMessage('cancelCapture', { id });
    case 'open':
      return sendMessage('openLibrary', { captureId: id });
  }
}

/** Does the next sensible act for the popup's tab. */
export function runPrimary(action: PrimaryAction, { current, tab }: PopupState): Promise<Outcome> {
  if (action === 'pair') {
    open('options.html', '_blank');
    return Promise.resolve({ ok: true, sentence: '' });
  }
  return action === 'keep' || !current ? keepTab(tab?.id) : runAction(action, current, tab?.id);
}

function keepTab(tabId: number | undefined): Promise<Outcome> {
  if (tabId === undefined)
    return Promise.resolve({ ok: false, sentence: 'The tab is gone; open the page again to keep it.' });
  return sendMessage('keepTab', { tabId });
}
