/** Longest wait for a frame that the browser does not paint, for example because the tab is hidden. */
const FRAME_MS_MAX = 500;

/** Two animation frames: what changed before is on the screen afterwards. */
export async function painted(): Promise<void> {
  for (let frame = 0; frame < 2 && !document.hidden; frame += 1) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, FRAME_MS_MAX);
      requestAnimationFrame(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
}

/** Resolves when each picture has arrived or failed, at the latest after `ms`. */
export async function imagesSettled(images: HTMLImageElement[], ms: number): Promise<void> {
  const pending = images.filter((image) => !image.complete && image.currentSrc !== '');
  if (pending.length === 0) return;
  const settled = pending.map(
    (image) =>
      new Promise<void>((resolve) => {
        image.addEventListener('load', () => resolve(), { once: true });
        image.addEventListener('error', () => resolve(), { once: true });
      }),
  );
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([Promise.all(settled), late]);
  clearTimeout(timer);
}

export function imagesInView(): HTMLImageElement[] {
  return [...document.images].filter((image) => {
    const box = image.getBoundingClientRect();
    return box.bottom > 0 && box.top < innerHeight;
  });
}
