import type { Rule } from '../../../contract/declare/rules.ts';
import type { ErrorDetail, ProblemName } from '../../../contract/problems/problems.ts';
import type { MediaType } from '../../../contract/services/media.ts';
import { checkMediaUses, findUsableMedia, type MediaContext, type MediaDetails } from '../media/usable-media.ts';

/** An aspect ratio, with its name in messages. */
type AspectRatio = readonly [name: string, width: number, height: number];

/** Aspect ratios of card media. @source creatives 5.2, 6, 8 and 9 */
export const RATIOS = {
  square: ['1:1', 1, 1],
  wide: ['1.91:1', 1.91, 1],
  film: ['16:9', 16, 9],
  banner: ['5:2', 5, 2],
} as const satisfies Record<string, AspectRatio>;

/** The requirements of a card for the media of one parameter. */
interface MediaRequirement {
  readonly parameter: string;
  readonly key: string;
  readonly types: readonly MediaType[];
  /** Requirements by media type; unset ones accept anything. */
  readonly image?: { readonly ratios: readonly AspectRatio[]; readonly bytes_max?: number };
  readonly video?: { readonly ratios: readonly AspectRatio[] };
}

/** The problems that `checkMediaRequirements` reports for well-formed keys. */
export const MEDIA_REQUIREMENT_PROBLEMS: readonly ProblemName[] = [
  'INVALID_MEDIA',
  'MEDIA_NOT_TRANSCODED',
  'MEDIA_OF_OTHER_TYPE',
  'IMAGE_TOO_NARROW',
  'RATIO_UNFIT',
];

const WIDTH_MIN = 800;
/** Allows for rounding to whole pixels. */
const TOLERANCE = 0.02;

/**
 * Builds the rule that newly set media meets the requirements of its parameter; media already set stays valid after it is
 * removed from the library.
 * @source decision 217
 */
export function mediaRule<K extends string>(
  requirements: Readonly<Record<K, Omit<MediaRequirement, 'parameter' | 'key'>>>,
): Rule<{ readonly [P in K]: string | null }> {
  const names = Object.keys(requirements) as K[];
  return (change) => {
    const { after, before } = change;
    const changed = names.filter((name) => after[name] !== null && after[name] !== before?.[name]);
    return checkMediaRequirements(
      change,
      changed.map((name) => ({ parameter: name, key: after[name]!, ...requirements[name] })),
    );
  };
}

/**
 * Checks the media of a card. Sizes are checked only for uploaded media.
 * @source creatives 2.3 and 5.2; decision 216
 */
export async function checkMediaRequirements(
  mediaContext: MediaContext,
  all: readonly MediaRequirement[],
): Promise<readonly ErrorDetail[]> {
  if (all.length === 0) return [];
  const known = await findUsableMedia(
    mediaContext,
    all.map(({ key }) => key),
  );
  return all.flatMap((wanted) => {
    const errors = checkMediaUses(known, [wanted]);
    const media = known.get(wanted.key);
    return errors.length > 0 || !media?.isUploaded ? errors : checkSize(wanted, media);
  });
}

function checkSize({ parameter, image, video }: MediaRequirement, media: MediaDetails): ErrorDetail[] {
  const { type, bytes } = media;
  const [width, height] = [media.width ?? 0, media.height ?? 0];
  const errors: ErrorDetail[] = [];
  if (type === 'IMAGE' && image && width < WIDTH_MIN) {
    errors.push({ problem: 'IMAGE_TOO_NARROW', parameter, words: { min: WIDTH_MIN, width } });
  }
  const max = type === 'IMAGE' ? image?.bytes_max : undefined;
  if (max !== undefined && bytes !== null && bytes > max) {
    errors.push({ problem: 'IMAGE_TOO_LARGE', parameter, words: { max, bytes } });
  }
  const ratios: readonly AspectRatio[] = (type === 'IMAGE' ? image : video)?.ratios ?? [];
  if (ratios.length > 0 && !ratios.some((ratio) => isNear(width / height, ratio))) {
    const names = ratios.map(([name]) => name).join(' or ');
    errors.push({ problem: 'RATIO_UNFIT', parameter, words: { ratios: names, width, height } });
  }
  return errors;
}

function isNear(ratio: number, [, width, height]: AspectRatio): boolean {
  const wanted = width / height;
  return Math.abs(ratio - wanted) <= wanted * TOLERANCE;
}
