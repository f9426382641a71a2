import { useEffect, useRef } from 'preact/hooks';

interface Props {
  running: boolean;
  /** False where the browser does not know names below `localhost`: scripts need a host of their own. */
  possible: boolean;
  onTurn: (on: boolean) => void;
}

/** Says whether the copy's scripts run, what that means, and turns them on or off. */
export function ScriptsMenu({ running, possible, onTurn }: Props) {
  const menu = useRef<HTMLDetailsElement>(null);
  useCloseOnLeave(menu);
  return (
    <details class="scripts-menu" data-running={running} ref={menu}>
      <summary class="button">{running ? 'Scripts on' : 'Scripts off'}</summary>
      <div class="floating">
        {possible ? <Explanation running={running} /> : <Impossible />}
        {possible ? (
          <button type="button" class="button" onClick={() => onTurn(!running)}>
            {running ? 'Turn the scripts off' : 'Run the scripts of this copy'}
          </button>
        ) : null}
      </div>
    </details>
  );
}

function Explanation({ running }: { running: boolean }) {
  return (
    <>
      <p>
        {running
          ? 'The scripts of this copy run on a host of its own. They reach neither your library nor other copies, and load nothing from the network.'
          : 'Kept copies are shown without their scripts. Some pages need them to open menus or to show anything at all. They would run on a host of their own, where they reach neither your library nor other copies, and load nothing from the network.'}
      </p>
      <p>
        One gap is left in Chromium, Chrome and Edge: WebRTC cannot be closed there, and a script can make the browser
        open a connection without asking for anything. So a stranger may learn that this copy is being looked at, and
        from which network.
      </p>
    </>
  );
}

function Impossible() {
  return (
    <p>
      Kept copies are shown without their scripts. To run them, each copy needs a host of its own; this browser does not
      find names that end in .localhost. Another browser on this computer may.
    </p>
  );
}

/** Escape, and a step or click to anywhere else, close the menu; Escape gives the focus back. */
function useCloseOnLeave(menu: { current: HTMLDetailsElement | null }): void {
  useEffect(() => {
    const close = () => menu.current?.removeAttribute('open');
    const onKey = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || !menu.current?.open) return;
      close();
      menu.current.querySelector('summary')?.focus();
    };
    const onElsewhere = (event: Event) => {
      if (event.target instanceof Node && !menu.current?.contains(event.target)) close();
    };
    document.addEventListener('keydown', onKey);
    document.addEventListener('pointerdown', onElsewhere);
    document.addEventListener('focusin', onElsewhere);
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('pointerdown', onElsewhere);
      document.removeEventListener('focusin', onElsewhere);
    };
  }, []);
}
