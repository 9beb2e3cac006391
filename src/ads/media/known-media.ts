import type { MediaAddresses, MediaCategory, MediaType } from '../../contract/media.ts';
import type { Fault } from '../../contract/problems.ts';
import type { AccountState } from '../../contract/resource.ts';
import type { Reading } from '../../contract/store.ts';
import type { UploadState } from '../../contract/uploads.ts';

/** What cards and posts may know of media that the account may use. */
export interface KnownMedia {
  readonly key: string;
  readonly category: MediaCategory;
  readonly type: MediaType;
  readonly state: UploadState;
  /** Pixels; of the first frame where it moves. */
  readonly width: number;
  readonly height: number;
  /** Null for images and animations. */
  readonly duration_ms: number | null;
  readonly bytes: number | null;
  /** `w:h` in lowest terms. */
  readonly aspect_ratio: string;
  readonly url: string;
  /** The first frame, or the poster that was chosen; null for images. */
  readonly poster_url: string | null;
  /** False where nobody uploaded it: then its size is only assumed. */
  readonly isMeasured: boolean;
  /** Who uploaded it and who else may use it; undefined where nobody uploaded it. */
  readonly owners: readonly string[] | undefined;
}

/** Where media is looked for: a `Change` is one. */
export interface MediaGround {
  readonly tx: Reading;
  readonly media: MediaAddresses | undefined;
  readonly account: AccountState | undefined;
}

/**
 * The media that an account may use, by key: what is in its library, and with `uploader` also what that user uploaded or
 * may use without it being there. Keys that it may not use, malformed ones among them, are absent.
 * @source creatives 2.3
 */
export async function knownMedia(
  ground: MediaGround,
  keys: readonly string[],
  options: { readonly uploader?: string } = {},
): Promise<ReadonlyMap<string, KnownMedia>> {
  throw new Error(`not yet: ${keys} ${ground} ${options}`);
}

/** A use of media: which parameter names the key, and what it must be. */
export interface MediaUse {
  readonly parameter: string;
  readonly key: string;
  readonly types: readonly MediaType[];
  /** Who will show it, where that must be one of its owners. */
  readonly asUser?: string;
}

/** What is wrong with uses of media: malformed keys, unknown ones, the wrong kind, what is not transcoded. */
export function mediaFaults(known: ReadonlyMap<string, KnownMedia>, uses: readonly MediaUse[]): Fault[] {
  throw new Error(`not yet: ${known} ${uses}`);
}
