import type { Random } from '../../base/random.ts';

/** The key prefixes of the objects of an upload; the second is of earlier releases. */
export function prefixesOf(uploadId: string): string[] {
  return ['parts', 'sealed', 'ready'].map((area) => `media/${area}/${uploadId}/`);
}

/** A new key for a segment. Each attempt has its own, so that objects never change. */
export function segmentKey(uploadId: string, index: number, random: Random): string {
  return `media/parts/${uploadId}/${index}_${suffix(random)}`;
}

/** A new key for the whole file, or the first frame. */
export function readyKey(uploadId: string, name: 'whole' | 'poster', random: Random): string {
  return `media/ready/${uploadId}/${name}_${suffix(random)}`;
}

function suffix(random: Random): string {
  return random.bytes(8).toString('hex');
}
