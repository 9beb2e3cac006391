/** Runs work once at a time: calls while it runs share the run. */
export class SingleFlight<T = void> {
  #running: Promise<T> | undefined;

  /** The run under way. */
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
