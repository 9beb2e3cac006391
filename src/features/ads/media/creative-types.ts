import type { MediaDetails } from './usable-media.ts';

/** Creative types of account media. @source advertising 9 */
export const CREATIVE_TYPES = [
  'BANNER',
  'BANNER_TABLET',
  'INTERSTITIAL',
  'INTERSTITIAL_LANDSCAPE',
  'INTERSTITIAL_LANDSCAPE_TABLET',
  'INTERSTITIAL_TABLET',
  'MEDIUM_RECTANGLE',
  'PREROLL',
  'VAST_PREROLL',
] as const;
type CreativeType = (typeof CREATIVE_TYPES)[number];

/** Creative types of images by size in pixels. @source creatives 4 */
const DISPLAY_SIZES: Readonly<Record<string, CreativeType>> = {
  '300x250': 'MEDIUM_RECTANGLE',
  '728x90': 'BANNER_TABLET',
  '480x320': 'INTERSTITIAL_LANDSCAPE',
  '768x1024': 'INTERSTITIAL_TABLET',
  '1024x768': 'INTERSTITIAL_LANDSCAPE_TABLET',
  '320x50': 'BANNER',
  '320x480': 'INTERSTITIAL',
  '640x960': 'INTERSTITIAL',
};

/** The creative type of media; undefined when it cannot be account media. @source decision 207 */
export function creativeTypeOf({
  category,
  type,
  width,
  height,
  isUploaded: isMeasured,
}: MediaDetails): CreativeType | undefined {
  if (category === 'AMPLIFY_VIDEO') return 'PREROLL';
  return type === 'IMAGE' && isMeasured ? DISPLAY_SIZES[`${width}x${height}`] : undefined;
}
