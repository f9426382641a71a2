/** Lets a person at the terminal end the steps that run at this moment without ending the work. */
export class HookSkips {
  private current = new AbortController();
  private running = 0;

  /** The signal of the next skip; a hook that begins later is not concerned. */
  get signal(): AbortSignal {
    return this.current.signal;
  }

  /** Counts a foreground hook as running until `ended` settles. */
  watch(ended: Promise<unknown>): void {
    this.running += 1;
    const leave = (): void => void (this.running -= 1);
    ended.then(leave, leave);
  }

  /** Ends what runs; false when nothing does. */
  skip(): boolean {
    if (this.running === 0) return false;
    const { current } = this;
    this.current = new AbortController();
    current.abort();
    return true;
  }
}
