/** A page of a list, as far as reading on needs it. */
export interface Page<Item> {
  readonly data: readonly Item[];
  readonly next_cursor: string | null;
}

/**
 * A list that was asked for. Await it for one page, or iterate over it for all rows: further pages are fetched when they
 * are needed.
 */
export class Listing<Item, Reply extends Page<Item> = Page<Item>> implements PromiseLike<Reply>, AsyncIterable<Item> {
  readonly #read: (cursor: string | undefined) => Promise<Reply>;
  #first: Promise<Reply> | undefined;

  constructor(read: (cursor: string | undefined) => Promise<Reply>) {
    this.#read = read;
  }

  // biome-ignore lint/suspicious/noThenProperty: a list is awaited for one page
  then<Done = Reply, Failed = never>(
    done?: ((reply: Reply) => Done | PromiseLike<Done>) | null,
    failed?: ((error: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Done | Failed> {
    return this.#page().then(done, failed);
  }

  catch<Failed>(failed: (error: unknown) => Failed | PromiseLike<Failed>): Promise<Reply | Failed> {
    return this.#page().catch(failed);
  }

  finally(ended: () => void): Promise<Reply> {
    return this.#page().finally(ended);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const { data } of this.pages()) yield* data;
  }

  /** All pages, one after the other. */
  async *pages(): AsyncGenerator<Reply, void, undefined> {
    let page = await this.#page();
    yield page;
    while (page.next_cursor !== null) {
      page = await this.#read(page.next_cursor);
      yield page;
    }
  }

  /** All rows of all pages. */
  async all(): Promise<Item[]> {
    const rows: Item[] = [];
    for await (const row of this) rows.push(row);
    return rows;
  }

  #page(): Promise<Reply> {
    this.#first ??= this.#read(undefined);
    return this.#first;
  }
}
