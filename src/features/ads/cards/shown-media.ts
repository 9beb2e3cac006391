import type { ShowContext } from '../../../contract/declare/operation.ts';
import { parseMediaKey } from '../../../contract/services/media.ts';
import { described } from '../media/described.ts';
import { type KnownMedia, uploadsOf } from '../media/known-media.ts';

/**
 * The media of cards by key, whether it is in a library still or not: a card shows what it was made with. What nobody
 * uploaded has the size that is assumed of its kind.
 * @source creatives 2.3 and 3
 */
export async function mediaOfCards(
  { tx, media, account }: Pick<ShowContext, 'tx' | 'media' | 'account'>,
  keys: Iterable<string | null>,
): Promise<ReadonlyMap<string, KnownMedia>> {
  const numbers = new Map<string, string>();
  for (const key of keys) {
    const parsed = key === null ? undefined : parseMediaKey(key);
    if (parsed) numbers.set(key!, parsed.number);
  }
  if (numbers.size === 0) return new Map();
  const uploads = await uploadsOf(tx, [...numbers.values()]);
  const place = { media, environment: account!.environment };
  return new Map([...numbers].map(([key, number]) => [key, described(key, uploads.get(number), place)]));
}

/** Width and height in pixels, as texts. */
export function pixels({ width, height }: KnownMedia): readonly [string, string] {
  return [String(width ?? 0), String(height ?? 0)];
}

/** Width and height in lowest terms, as texts. */
export function ratioOf({ aspect_ratio }: KnownMedia): readonly [string, string] {
  const [width = '0', height = '0'] = (aspect_ratio ?? '').split(':');
  return [width || '0', height];
}
