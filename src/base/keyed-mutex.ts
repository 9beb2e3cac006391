/** Lets work upon one thing go one after the other, in the order asked for; work upon others goes on beside it. */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Does the work when all that was asked for before it upon the same thing has ended, well or not. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const mine = before ? before.then(work, work) : work();
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) this.#last.delete(key);
    }
  }
}
