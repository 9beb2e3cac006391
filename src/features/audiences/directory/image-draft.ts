import type { Thread } from '../../../base/threads.ts';
import type { DirectoryState, NewImage, NumberedPerson } from '../../../contract/store/directory.ts';
import type { DirectoryCalls } from './directory-worker.ts';

/** Dependencies of drafts. */
interface DraftParts {
  readonly thread: Thread<DirectoryCalls>;
  readonly folderOf: (state: DirectoryState) => string;
  /** Drafts that are open: the thread keeps them in memory. */
  readonly open: Set<ImageDraft>;
}

/** An image in a temporary folder. */
export class ImageDraft {
  readonly #parts: DraftParts;
  readonly #folder: string;
  /** People are added while the next ones are read. */
  #adding: Promise<unknown>;

  constructor(parts: DraftParts, folder: string) {
    this.#parts = parts;
    this.#folder = folder;
    parts.open.add(this);
    this.#adding = parts.thread.call('begin', folder);
    this.#adding.catch(() => undefined);
  }

  async #next(call: () => Promise<unknown>): Promise<void> {
    await this.#adding;
    this.#adding = call();
    // Awaited with the next call, which may not come.
    this.#adding.catch(() => undefined);
  }

  add(people: readonly NumberedPerson[]): Promise<void> {
    return this.#next(() => this.#parts.thread.call('add', { making: this.#folder, people }));
  }

  /** Makes it the image of a state. */
  async finish(state: DirectoryState): Promise<void> {
    const { thread, folderOf, open } = this.#parts;
    await this.#next(() => thread.call('finish', { making: this.#folder, folder: folderOf(state), state }));
    await this.#adding;
    open.delete(this);
  }

  /** Removes a draft that is not finished. */
  async discard(): Promise<void> {
    const { thread, open } = this.#parts;
    if (open.delete(this)) await thread.call('discard', this.#folder).catch(() => undefined);
  }
}

/** The image of a directory that was empty, which is written while its people are stored. */
export class FirstImage implements NewImage {
  readonly #draft: ImageDraft;
  readonly #version: number;
  #people = 0;
  #isWhole = true;

  constructor(draft: ImageDraft, version: number) {
    this.#draft = draft;
    this.#version = version;
  }

  async add(people: readonly NumberedPerson[]): Promise<void> {
    this.#isWhole &&= people.every(({ number }, index) => number === this.#people + index);
    this.#people += people.length;
    if (!this.#isWhole) return;
    await this.#draft.add(people).catch(() => {
      this.#isWhole = false;
    });
  }

  async finish(state: DirectoryState): Promise<boolean> {
    if (!this.#isWhole || state.version !== this.#version || state.people !== this.#people) return false;
    return this.#draft.finish(state).then(
      () => true,
      () => false,
    );
  }

  discard(): Promise<void> {
    return this.#draft.discard();
  }
}
