import type { MediaDetails } from '../media/usable-media.ts';

/** Width and height in pixels, as strings. */
export function pixelSize({ width, height }: MediaDetails): readonly [string, string] {
  return [String(width ?? 0), String(height ?? 0)];
}

/** Width and height of the aspect ratio in lowest terms, as strings. */
export function aspectRatioOf({ aspect_ratio }: MediaDetails): readonly [string, string] {
  const [width = '0', height = '0'] = (aspect_ratio ?? '').split(':');
  return [width || '0', height];
}
