import type { SerializeContext } from '../../../contract/declare/operation.ts';
import { parseMediaKey } from '../../../contract/services/media.ts';
import { describeMedia } from '../media/describe-media.ts';
import { type MediaDetails, uploadsById } from '../media/usable-media.ts';

/**
 * The media of cards by key, including media that has left the library since. Media without an upload has the
 * default size of its type.
 * @source creatives 2.3 and 3
 */
export async function findCardMedia(
  { tx, media, account }: Pick<SerializeContext, 'tx' | 'media' | 'account'>,
  keys: Iterable<string | null>,
): Promise<ReadonlyMap<string, MediaDetails>> {
  const numbers = new Map<string, string>();
  for (const key of keys) {
    const parsed = key === null ? undefined : parseMediaKey(key);
    if (parsed) numbers.set(key!, parsed.number);
  }
  if (numbers.size === 0) return new Map();
  const uploads = await uploadsById(tx, [...numbers.values()]);
  const place = { media, environment: account!.environment };
  return new Map([...numbers].map(([key, number]) => [key, describeMedia(key, uploads.get(number), place)]));
}

/** Width and height in pixels, as strings. */
export function pixelSize({ width, height }: MediaDetails): readonly [string, string] {
  return [String(width ?? 0), String(height ?? 0)];
}

/** Width and height of the aspect ratio in lowest terms, as strings. */
export function aspectRatioOf({ aspect_ratio }: MediaDetails): readonly [string, string] {
  const [width = '0', height = '0'] = (aspect_ratio ?? '').split(':');
  return [width || '0', height];
}
