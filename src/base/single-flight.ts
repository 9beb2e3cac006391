/** Runs work at most once at a time; calls during a run share its result. */
export class SingleFlight<T = void> {
  #running: Promise<T> | undefined;

  /** The current run, if any. */
  get running(): Promise<T> | undefined {
    return this.#running;
  }

  run(work: () => Promise<T>): Promise<T> {
    this.#running ??= work().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }
}
