import { hash } from 'node:crypto';
import {
  type Addressed,
  hlsPath,
  MEDIA_CATEGORIES,
  type MediaKey,
  mediaPath,
  parseMediaKey,
  posterPath,
  vmapPath,
} from '../../contract/media.ts';
import type { ShowContext } from '../../contract/operation.ts';

/** Media as cards show it: addresses and sizes. */
export interface ShownMedia {
  readonly isVideo: boolean;
  /** An image, or the file of a video. */
  readonly url: string;
  readonly poster_url: string;
  readonly vmap_url: string;
  readonly hls_url: string;
  /** Pixels. */
  readonly width: number;
  readonly height: number;
  /** Width and height in lowest terms. */
  readonly ratio: readonly [number, number];
  /** Null where it is not known. */
  readonly duration_ms: number | null;
}

/**
 * The media of cards by key, whether it is in a library still or not: a card shows what it was made with. What nobody
 * uploaded has the size that is assumed of its kind.
 * @source creatives 2.3 and 3
 */
export async function shownMedia(
  { tx, media, account }: Pick<ShowContext, 'tx' | 'media' | 'account'>,
  keys: Iterable<string | null>,
): Promise<ReadonlyMap<string, ShownMedia>> {
  const parsed = new Map<string, MediaKey>();
  for (const key of keys) {
    const known = key === null ? undefined : parseMediaKey(key);
    if (known) parsed.set(key!, known);
  }
  if (parsed.size === 0) return new Map();
  const uploads = await tx.uploads.list([...new Set([...parsed.values()].map(({ number }) => number))]);
  const byId = new Map(uploads.map((upload) => [upload.id, upload]));
  const url = (path: string): string => media.url(account!.environment, path);
  return new Map(
    [...parsed].map(([key, named]) => {
      const upload = byId.get(named.number);
      return [key, shown(named, upload?.width ? upload : assumed(named), upload?.duration_ms ?? null, url)];
    }),
  );
}

/** What is assumed of media that nobody uploaded. @source creatives 2.3 */
function assumed({ category, number }: MediaKey): Addressed {
  const [width, height] = MEDIA_CATEGORIES[category].type === 'VIDEO' ? [1280, 720] : [1200, 628];
  const file_name = hash('sha256', `${category} ${number}`, 'hex').slice(0, 16);
  return { id: number, category, file_name, width, height };
}

function shown(
  { category }: MediaKey,
  facts: Addressed,
  duration_ms: number | null,
  url: (path: string) => string,
): ShownMedia {
  const [width, height] = [facts.width ?? 0, facts.height ?? 0];
  // A key of an image may name the first frame of a video.
  const isFrame = category === 'POST_IMAGE' && facts.category !== category;
  return {
    isVideo: MEDIA_CATEGORIES[category].type === 'VIDEO',
    url: url(isFrame ? posterPath(facts) : mediaPath(facts)),
    poster_url: url(posterPath(facts)),
    vmap_url: url(vmapPath(facts)),
    hls_url: url(hlsPath(facts)),
    width,
    height,
    ratio: lowestTerms(width, height),
    duration_ms,
  };
}

function lowestTerms(width: number, height: number): readonly [number, number] {
  let [divisor, rest] = [width, height];
  while (rest > 0) [divisor, rest] = [rest, divisor % rest];
  return divisor === 0 ? [0, 0] : [width / divisor, height / divisor];
}
