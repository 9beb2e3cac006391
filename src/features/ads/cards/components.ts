import { isObject } from '../../../base/objects.ts';
import { countryCode } from '../../../contract/declare/codes.ts';
import {
  digits,
  type Field,
  field,
  isErrorDetail,
  oneOf,
  quoted,
  type RawValue,
  text,
} from '../../../contract/declare/fields.ts';
import type { ErrorDetail } from '../../../contract/problems/problems.ts';
import { mediaKey } from '../media/media-key.ts';
import { BUTTON_LABELS, componentSchema } from './component-schema.ts';
import { webUrl } from './web-url.ts';

/** Number of media in a carousel and of slides. @source creatives 5.2 and 5.3 */
const CAROUSEL = { min: 2, max: 6 } as const;

const MEDIA = ['MEDIA', 'SWIPEABLE_MEDIA'];
const TEXTS = ['DETAILS', 'BUTTON'];

/** Validates a value of a body: returns it without unknown members, or undefined and adds errors under their path. */
type Validator = (raw: RawValue, path: string, errors: ErrorDetail[]) => RawValue | undefined;

type RawObject = Readonly<Record<string, RawValue>>;

const literal = (name: string): Validator => fieldValidator(oneOf(name));
const key = fieldValidator(mediaKey());
const address = fieldValidator(text({ max: 2000 }));

const website = objectOf({ type: literal('WEBSITE'), url: fieldValidator(webUrl({ max: 2000 })) });

/** An app destination; the reference has no maximum lengths. @source decision 220 */
const app = objectOf(
  {
    type: literal('APP'),
    // In upper case only, because components are returned as sent. @source decision 218
    country_code: fieldValidator(countryCode({ isFolded: false })),
  },
  {
    android_store_app_id: fieldValidator(text({ max: 255 })),
    ios_store_identifier: fieldValidator(digits({ max: 20 })),
    android_deep_link: address,
    ios_deep_link: address,
  },
  checkStores,
);

const label = unionByType({
  ENUM: objectOf({ type: literal('ENUM'), value: fieldValidator(oneOf(...BUTTON_LABELS)) }),
});

const media = objectOf({ type: literal('MEDIA'), media_key: key });
const details = objectOf({
  type: literal('DETAILS'),
  title: fieldValidator(text({ max: 70 })),
  destination: unionByType({ WEBSITE: website }),
});
const button = objectOf({ type: literal('BUTTON'), label, destination: unionByType({ APP: app }) });

/** Validates each component of a list, but not the combination of their types. */
function componentList(swipeableMin: number): Validator {
  const media_keys = arrayOf(key, { ...CAROUSEL, min: swipeableMin });
  const component = unionByType({
    MEDIA: media,
    SWIPEABLE_MEDIA: objectOf({ type: literal('SWIPEABLE_MEDIA'), media_keys }),
    DETAILS: details,
    BUTTON: button,
  });
  return (raw, path, errors) => {
    if (!Array.isArray(raw) || raw.length > CAROUSEL.max) return undefined;
    return raw.map((item, index) => component(item, `${path}[${index}]`, errors) ?? null);
  };
}

/**
 * The components of a card: one with media and one with text or a button, in display order. Stored as JSON text
 * without unknown members.
 * @source advertising 10; creatives 5.2
 */
export function components({ swipeableMin }: { readonly swipeableMin: number }): Field<string> {
  const list = componentList(swipeableMin);
  const wanted = 'one of MEDIA and SWIPEABLE_MEDIA and one of DETAILS and BUTTON';
  return jsonField('components', componentSchema.components, (raw, path, errors) => {
    if (!isPair(raw, MEDIA, TEXTS)) errors.push({ problem: 'COMPONENTS_UNFIT', parameter: path, words: { wanted } });
    return list(raw, path, errors);
  });
}

/**
 * The slides of a card: each has media and a destination. Stored like components.
 * @source creatives 5.3
 */
export function slides(): Field<string> {
  const wanted = 'slides of one MEDIA and one DETAILS each';
  const all = arrayOf(componentList(CAROUSEL.min), CAROUSEL);
  return jsonField('slides', componentSchema.slides, (raw, path, errors) => {
    const isUnfit = !Array.isArray(raw) || raw.some((each) => !isPair(each, ['MEDIA'], ['DETAILS']));
    if (isUnfit) errors.push({ problem: 'COMPONENTS_UNFIT', parameter: path, words: { wanted } });
    return Array.isArray(raw) ? all(raw, path, errors) : undefined;
  });
}

/** Tests whether a list has one component of each kind. Unknown types match both kinds, and get their own error. */
function isPair(raw: RawValue, first: readonly string[], second: readonly string[]): boolean {
  if (!Array.isArray(raw) || raw.length !== 2) return false;
  const fits = (item: RawValue, types: readonly string[]): boolean => {
    const type = isObject(item) ? ownMember(item, 'type') : undefined;
    if (typeof type !== 'string') return true;
    return types.includes(type) || ![...MEDIA, ...TEXTS].includes(type);
  };
  const [a, b] = raw as [RawValue, RawValue];
  return (fits(a, first) && fits(b, second)) || (fits(a, second) && fits(b, first));
}

/** An app destination needs at least one store, and a deep link needs its store. */
function checkStores(raw: RawObject, path: string): ErrorDetail[] {
  const has = (name: string): boolean => !isEmpty(ownMember(raw, name));
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
  const validate = (raw: RawValue, parameter: string) => {
    const errors: ErrorDetail[] = [];
    const value = validator(raw, parameter, errors);
    return { errors, stored: JSON.stringify(value ?? null) };
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
      const { errors, stored } = validate(raw, parameter);
      return errors[0] ?? stored;
    },
    errors: (raw, parameter) => validate(raw, parameter).errors,
  });
}

/** Creates a validator from the parser of a field. */
function fieldValidator(field: Field<string>): Validator {
  return (raw, path, errors) => {
    const value = field.kind.read(raw, path);
    if (!isErrorDetail(value)) return value;
    errors.push(value);
    return undefined;
  };
}

/** Validates an array of `min` to `max` items; items of longer arrays are not validated. */
function arrayOf(validate: Validator, { min, max }: { readonly min: number; readonly max: number }): Validator {
  return (raw, path, errors) => {
    const count = Array.isArray(raw) ? raw.length : 0;
    if (count < min || count > max) {
      errors.push({ problem: 'ITEMS_OUT_OF_RANGE', parameter: path, words: { min, max, count } });
      if (count === 0 || count > max) return undefined;
    }
    return (raw as readonly RawValue[]).map((item, index) => validate(item, `${path}[${index}]`, errors) ?? null);
  };
}

/** Validates an object; known members are kept in the order sent. `check` returns errors of combinations. */
function objectOf(
  required: Readonly<Record<string, Validator>>,
  optional: Readonly<Record<string, Validator>> = {},
  check?: (raw: RawObject, path: string) => readonly ErrorDetail[],
): Validator {
  return (raw, path, errors) => {
    if (!isObject(raw)) {
      errors.push({ problem: 'NOT_AN_OBJECT', parameter: path });
      return undefined;
    }
    const read = new Map<string, RawValue>();
    for (const [name, validate] of Object.entries({ ...required, ...optional })) {
      const value = ownMember(raw, name) ?? null;
      if (isEmpty(value)) {
        if (name in required) errors.push({ problem: 'MISSING_PARAMETER', parameter: `${path}.${name}` });
        continue;
      }
      const valid = validate(value, `${path}.${name}`, errors);
      if (valid !== undefined) read.set(name, valid);
    }
    errors.push(...(check?.(raw, path) ?? []));
    return Object.fromEntries(Object.keys(raw).flatMap((name) => (read.has(name) ? [[name, read.get(name)!]] : [])));
  };
}

/** Validates an object with the validator of its `type` member. */
function unionByType(kinds: Readonly<Record<string, Validator>>): Validator {
  return (raw, path, errors) => {
    if (!isObject(raw)) {
      errors.push({ problem: 'NOT_AN_OBJECT', parameter: path });
      return undefined;
    }
    const type = ownMember(raw, 'type') ?? null;
    const parameter = `${path}.type`;
    if (isEmpty(type)) {
      errors.push({ problem: 'MISSING_PARAMETER', parameter });
      return undefined;
    }
    if (typeof type === 'string' && Object.hasOwn(kinds, type)) return kinds[type]!(raw, path, errors);
    const list = Object.keys(kinds).sort().join(', ');
    errors.push({ problem: 'NOT_IN_ENUM', parameter, words: { list, raw: quoted(type) } });
    return undefined;
  };
}

/** Returns an own member of an object, ignoring inherited ones. */
function ownMember(raw: RawObject, name: string): RawValue | undefined {
  return Object.hasOwn(raw, name) ? raw[name] : undefined;
}

/** Whether a member counts as missing: undefined, null or empty. @source decision 215 */
function isEmpty(raw: RawValue | undefined): boolean {
  return raw === undefined || raw === null || raw === '';
}
