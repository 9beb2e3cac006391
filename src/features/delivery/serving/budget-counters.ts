/** Sums by key; zero sums are removed. */
export class Sums {
  readonly #all = new Map<string, number>();

  get all(): ReadonlyMap<string, number> {
    return this.#all;
  }

  of(key: string): number {
    return this.#all.get(key) ?? 0;
  }

  add(key: string, amount: number): void {
    const sum = this.of(key) + amount;
    if (sum === 0) this.#all.delete(key);
    else this.#all.set(key, sum);
  }
}
