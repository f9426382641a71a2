import { connected } from '../api/events.ts';

/** Says that the companion is gone, and that nothing is lost by it. */
export function ConnectionBanner() {
  return (
    <div role="status" aria-live="polite">
      {connected.value ? null : (
        <p class="banner">
          Holdfast on this computer is not running or not reachable. Everything kept is safe on its disk; this page goes
          on by itself when it is back.
        </p>
      )}
    </div>
  );
}
