import { countryCode } from '../../../contract/declare/codes.ts';
import { digits, type Field, field, oneOf, type RawValue, text } from '../../../contract/declare/fields.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { mediaKey } from '../media/media-key.ts';
import {
  arrayOf,
  declaredType,
  fieldValidator,
  isEmpty,
  objectOf,
  optional,
  required,
  unionByType,
  type Validator,
} from './body-validators.ts';
import { BUTTON_LABELS, componentSchema } from './component-schema.ts';
import { webUrl } from './web-url.ts';

/** Number of media in a carousel and of slides. @source creatives 5.2 and 5.3 */
const CAROUSEL = { min: 2, max: 6 } as const;

const MEDIA = ['MEDIA', 'SWIPEABLE_MEDIA'];
const TEXTS = ['DETAILS', 'BUTTON'];

const literal = (name: string): Validator => fieldValidator(oneOf(name));
const key = fieldValidator(mediaKey());
const address = fieldValidator(text({ max: 2000 }));

const website = objectOf({ type: required(literal('WEBSITE')), url: required(fieldValidator(webUrl({ max: 2000 }))) });

/** An app destination; the reference has no maximum lengths. @source decision 220 */
const app = objectOf(
  {
    type: required(literal('APP')),
    // In upper case only, because components are returned as sent. @source decision 218
    country_code: required(fieldValidator(countryCode({ isFolded: false }))),
    android_store_app_id: optional(fieldValidator(text({ max: 255 }))),
    ios_store_identifier: optional(fieldValidator(digits({ max: 20 }))),
    android_deep_link: optional(address),
    ios_deep_link: optional(address),
  },
  checkStores,
);

const label = unionByType({
  ENUM: objectOf({ type: required(literal('ENUM')), value: required(fieldValidator(oneOf(...BUTTON_LABELS))) }),
});

const media = objectOf({ type: required(literal('MEDIA')), media_key: required(key) });
const details = objectOf({
  type: required(literal('DETAILS')),
  title: required(fieldValidator(text({ max: 70 }))),
  destination: required(unionByType({ WEBSITE: website })),
});
const button = objectOf({
  type: required(literal('BUTTON')),
  label: required(label),
  destination: required(unionByType({ APP: app })),
});

function swipeable(min: number): Validator {
  return objectOf({
    type: required(literal('SWIPEABLE_MEDIA')),
    media_keys: required(arrayOf(key, { ...CAROUSEL, min })),
  });
}

/**
 * The components of a card: one with media and one with text or a button, in display order. Stored as JSON text
 * without unknown members.
 * @source advertising 10; creatives 5.2
 */
export function components({ swipeableMin }: { readonly swipeableMin: number }): Field<string> {
  const parts = unionByType({
    MEDIA: media,
    SWIPEABLE_MEDIA: swipeable(swipeableMin),
    DETAILS: details,
    BUTTON: button,
  });
  const wanted = 'one of MEDIA and SWIPEABLE_MEDIA and one of DETAILS and BUTTON';
  return jsonField('components', componentSchema.components, (raw, path, errors) => {
    if (!isPair(raw, MEDIA, TEXTS)) errors.push({ problem: 'COMPONENTS_UNFIT', parameter: path, words: { wanted } });
    if (!Array.isArray(raw) || raw.length > CAROUSEL.max) return undefined;
    return raw.map((item, index) => parts(item, `${path}[${index}]`, errors) ?? null);
  });
}

/**
 * The slides of a card: each has media and a destination. Stored like components.
 * @source creatives 5.3
 */
export function slides(): Field<string> {
  const parts = unionByType({
    MEDIA: media,
    SWIPEABLE_MEDIA: swipeable(CAROUSEL.min),
    DETAILS: details,
    BUTTON: button,
  });
  const slide: Validator = (raw, path, errors) => {
    if (!Array.isArray(raw) || raw.length > CAROUSEL.max) return undefined;
    return raw.map((item, index) => parts(item, `${path}[${index}]`, errors) ?? null);
  };
  const wanted = 'slides of one MEDIA and one DETAILS each';
  const all = arrayOf(slide, CAROUSEL);
  return jsonField('slides', componentSchema.slides, (raw, path, errors) => {
    const isUnfit = !Array.isArray(raw) || raw.some((each) => !isPair(each, ['MEDIA'], ['DETAILS']));
    if (isUnfit) errors.push({ problem: 'COMPONENTS_UNFIT', parameter: path, words: { wanted } });
    return Array.isArray(raw) ? all(raw, path, errors) : undefined;
  });
}

/** Whether a list has one component of each kind. Components of unknown types match both, and get their own error. */
function isPair(raw: RawValue, first: readonly string[], second: readonly string[]): boolean {
  if (!Array.isArray(raw) || raw.length !== 2) return false;
  const fits = (item: RawValue, types: readonly string[]): boolean => {
    const type = declaredType(item) ?? '';
    return types.includes(type) || ![...MEDIA, ...TEXTS].includes(type);
  };
  const [a, b] = raw as [RawValue, RawValue];
  return (fits(a, first) && fits(b, second)) || (fits(a, second) && fits(b, first));
}

/** An app destination needs at least one store, and deep links only for stores that are set. */
function checkStores(raw: Readonly<Record<string, RawValue>>, path: string): ErrorDetail[] {
  const has = (name: string): boolean => Object.hasOwn(raw, name) && !isEmpty(raw[name]);
  const errors: ErrorDetail[] = [];
  if (!has('android_store_app_id') && !has('ios_store_identifier')) {
    errors.push({ problem: 'MISSING_PARAMETER', parameter: `${path}.android_store_app_id` });
  }
  for (const [a, b] of DEEP_LINKS) {
    if (has(a) && !has(b)) errors.push({ problem: 'INCLUSIVE_PARAMETERS', parameter: `${path}.${b}`, words: { a, b } });
  }
  return errors;
}

const DEEP_LINKS = [
  ['android_deep_link', 'android_store_app_id'],
  ['ios_deep_link', 'ios_store_identifier'],
] as const;

/** A field that stores the value of a validator as JSON text. */
function jsonField(name: string, schema: Field['kind']['schema'], validator: Validator): Field<string> {
  const examined = (
    raw: RawValue,
    parameter: string,
  ): { readonly errors: readonly ErrorDetail[]; readonly read: string } => {
    const errors: ErrorDetail[] = [];
    const read = validator(raw, parameter, errors);
    return { errors, read: JSON.stringify(read ?? null) };
  };
  return field<string>({
    name,
    column: 'text',
    schema,
    problems: [
      'COMPONENTS_UNFIT',
      'ITEMS_OUT_OF_RANGE',
      'NOT_AN_OBJECT',
      'MISSING_PARAMETER',
      'NOT_IN_ENUM',
      'NOT_TEXT',
      'TEXT_TOO_LONG',
      'ILLEGAL_CHARACTERS',
      'NOT_WEB',
      'INVALID_MEDIA_ID',
      'NOT_A_CODE',
      'COUNTRY_UNKNOWN',
      'NOT_LONG',
      'INCLUSIVE_PARAMETERS',
    ],
    toJson: (stored) => stored,
    read(raw, parameter) {
      const { errors, read } = examined(raw, parameter);
      return errors[0] ?? read;
    },
    errors: (raw, parameter) => examined(raw, parameter).errors,
  });
}
