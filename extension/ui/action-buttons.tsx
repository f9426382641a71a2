import { useEffect, useState } from 'preact/hooks';
import type { Outcome } from '../messaging/messages.ts';
import type { CaptureView } from '../messaging/view-model.ts';
import { actionLabels } from './capture-words.ts';
import type { ButtonAction } from './capture-words.ts';
import { runAction } from './run-action.ts';

/** Bytes that exist nowhere else cannot come back, so a discard waits this long. Leaving the page calls it off. */
const DISCARD_SECONDS = 5;

interface Props {
  capture: CaptureView;
  actions: ButtonAction[];
  tabId: number | undefined;
  onAct: (work: () => Promise<Outcome>) => void;
}

/** The acts a capture allows now, as quiet buttons. */
export function ActionButtons({ capture, actions, tabId, onAct }: Props) {
  return (
    <>
      {actions.map((action) => {
        const run = () => onAct(() => runAction(action, capture, tabId));
        if (action === 'discard') return <DiscardButton key={action} onDiscard={run} />;
        return (
          <button key={action} type="button" class="button quiet" onClick={run}>
            {actionLabels[action]}
          </button>
        );
      })}
    </>
  );
}

function DiscardButton({ onDiscard }: { onDiscard: () => void }) {
  const [left, setLeft] = useState<number>();
  useEffect(() => {
    if (left === undefined) return undefined;
    if (left === 0) {
      setLeft(undefined);
      onDiscard();
      return undefined;
    }
    const timer = setTimeout(() => setLeft(left - 1), 1000);
    return () => clearTimeout(timer);
  }, [left]);
  if (left === undefined) {
    return (
      <button type="button" class="button quiet danger" onClick={() => setLeft(DISCARD_SECONDS)}>
        {actionLabels.discard}
      </button>
    );
  }
  return (
    <button type="button" class="button danger" onClick={() => setLeft(undefined)}>
      Discarding in {left} s. Keep it
    </button>
  );
}
