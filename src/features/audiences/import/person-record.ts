import { instantMs, parseInstant } from '../../../base/instants.ts';
import { IDENTIFIER_KINDS, type IdentifierKind } from '../../../contract/store/audiences.ts';
import { joinMembers, type Person } from '../../../contract/store/directory.ts';
import {
  type LookUpType,
  lookUpCountry,
  lookUpPlace,
  lookUpValue,
  type PlaceKind,
} from '../../ads/reference/by-name.ts';
import { findDevicePlatform } from '../../ads/targeting-criteria/combination-rules.ts';
import { ENGAGEMENTS } from '../../ads/targeting-criteria/targeting-types.ts';
import { identifierBytes, identifierOf, identifierOfHash } from '../uploads/hash-identifier.ts';
import { normalize } from '../uploads/normalize.ts';
import { REASONS } from '../uploads/people-columns.ts';

/** The columns of a file of people, except identifiers. */
const ATTRIBUTES = [
  'user_id',
  'country',
  'region',
  'metro',
  'city',
  'postal_code',
  'language',
  'gender',
  'age',
  'platform',
  'platform_version',
  'device',
  'network_operator',
  'wifi',
  'activated_at',
  'last_active_at',
  'interests',
  'follows',
  'store_categories',
  'engagements',
] as const;
type Attribute = (typeof ATTRIBUTES)[number];

/** The identifiers with columns of their own; the user id is an attribute. */
const COLUMN_KINDS = IDENTIFIER_KINDS.filter((kind) => kind !== 'service_user_id');
/** Suffix of the name of a column of hashes. */
export const HASHED_SUFFIX = '_sha256';

/** All columns of a file. Identifiers are plaintext, or hashed in columns that end in `_sha256`. */
export const COLUMNS: readonly string[] = [
  ...ATTRIBUTES,
  ...COLUMN_KINDS,
  ...COLUMN_KINDS.map((kind) => kind + HASHED_SUFFIX),
];

/** A record of a file: the values of each column. */
export type PersonRecord = Readonly<Record<string, readonly string[]>>;

/** A person, or the errors of the record; errors never repeat an identifier. */
type PersonResult = Person | readonly string[];

/** Validates a record. @param now the default of `last_active_at`, in Unix seconds */
export function parsePerson(record: PersonRecord, now: number): PersonResult {
  const errors: string[] = [];
  const one = (name: Attribute): string | null => {
    const values = record[name] ?? [];
    if (values.length > 1) errors.push(`${name}: expected one value, got ${values.length}`);
    return values[0] ?? null;
  };
  const read = <T>(name: Attribute, parse: (text: string) => T | undefined, expected: string): T | null => {
    const text = one(name);
    if (text === null) return null;
    const parsed = parse(text.trim());
    if (parsed === undefined) errors.push(`${name}: expected ${expected}, got ${quoted(text)}`);
    return parsed ?? null;
  };
  const lookUp = (name: Attribute, type: LookUpType) =>
    read(name, (text) => lookUpValue(type, text), 'a targeting value or name');
  const lookUpSeveral = (name: Attribute, parse: (text: string) => string | undefined, expected: string): string => {
    const values = (record[name] ?? []).map((text) => {
      const value = parse(text.trim());
      if (value === undefined) errors.push(`${name}: expected ${expected}, got ${quoted(text)}`);
      return value ?? '';
    });
    return joinMembers([...new Set(values)]);
  };
  const id = read('user_id', parseUserId, 'a decimal number');
  if (id === null && !record.user_id?.length) errors.push('user_id: is required');
  const places = readPlaces(read, record);
  const device = lookUp('device', 'DEVICE');
  const platform = lookUp('platform', 'PLATFORM') ?? (device === null ? null : (findDevicePlatform(device) ?? null));
  const person: Person = {
    user_id: id ?? '',
    ...places,
    language: lookUp('language', 'LANGUAGE'),
    gender: read('gender', parseGender, 'male, female, 1 or 2'),
    age: read('age', (text) => (/^\d{1,3}$/.test(text) && +text >= 1 && +text <= 150 ? +text : undefined), '1 to 150'),
    platform,
    platform_version: lookUp('platform_version', 'PLATFORM_VERSION'),
    device,
    network_operator: lookUp('network_operator', 'NETWORK_OPERATOR'),
    wifi: read('wifi', parseBoolean, 'true or false'),
    activated_at: read('activated_at', parseTime, 'a time'),
    last_active_at: read('last_active_at', parseTime, 'a time') ?? now,
    interests: lookUpSeveral('interests', (text) => lookUpValue('INTEREST', text), 'a targeting value or name'),
    follows: lookUpSeveral('follows', parseUserId, 'a decimal number'),
    store_categories: lookUpSeveral(
      'store_categories',
      (text) => lookUpValue('STORE_CATEGORY', text),
      'a targeting value or name',
    ),
    engagements: joinMembers([...new Set((record.engagements ?? []).flatMap((text) => parseEngagement(text, errors)))]),
    identifiers: readIdentifiers(record, { id: id ?? '', country: places.country ?? undefined }, errors),
  };
  return errors.length > 0 ? errors : person;
}

type Reader = <T>(name: Attribute, parse: (text: string) => T | undefined, expected: string) => T | null;

const PLACES = [
  ['region', 'REGIONS'],
  ['metro', 'METROS'],
  ['city', 'CITIES'],
  ['postal_code', 'POSTAL_CODES'],
] as const satisfies readonly (readonly [Attribute, PlaceKind])[];

/** Parses the country and places within it; a place implies its country. */
function readPlaces(read: Reader, record: PersonRecord) {
  let country = read('country', lookUpCountry, 'a country');
  const within = PLACES.map(([name, kind]) => {
    const required = country;
    const found = read(
      name,
      (text) => {
        const place = lookUpPlace(kind, text, required);
        return place && (required === null || place.country === required) ? place : undefined;
      },
      `the targeting value or name of a place${record.country ? ' in this country' : ''}`,
    );
    country ??= found?.country ?? null;
    return found?.value ?? null;
  });
  const [region = null, metro = null, city = null, postal_code = null] = within;
  return { country, region, metro, city, postal_code };
}

function parseUserId(text: string): string | undefined {
  return /^\d{1,20}$/.test(text) ? String(BigInt(text)) : undefined;
}

function parseGender(text: string): string | undefined {
  return { '1': '1', male: '1', m: '1', '2': '2', female: '2', f: '2' }[text.toLowerCase()];
}

function parseBoolean(text: string): string | undefined {
  return { '1': '1', true: '1', '0': '0', false: '0' }[text.toLowerCase()];
}

function parseTime(text: string): number | undefined {
  if (/^\d{1,10}$/.test(text) && Number(text) < 2 ** 32) return Number(text);
  const instant = parseInstant(text);
  return instant === undefined ? undefined : Math.floor(instantMs(instant) / 1000);
}

/** Parses `VIDEO_VIEW:user:901` or `ENGAGEMENT:campaign:8k2vd` into the kind and the target. @source decision 299 */
function parseEngagement(text: string, errors: string[]): string[] {
  const [kind = '', what = '', id = '', more] = text.trim().split(':');
  const isTarget = what === 'user' ? /^\d{1,20}$/.test(id) : what === 'campaign' && /^[0-9a-z]{1,13}$/.test(id);
  if ((ENGAGEMENTS as readonly string[]).includes(kind) && isTarget && more === undefined)
    return [kind, `${what}:${id}`];
  errors.push(`engagements: expected KIND:user:ID or KIND:campaign:ID with a kind of ${ENGAGEMENTS.join(', ')}`);
  return [];
}

/** Parses identifiers; `country` is that of phone numbers without a country code. */
function readIdentifiers(
  record: PersonRecord,
  { id, country }: { readonly id: string; readonly country: string | undefined },
  errors: string[],
): Uint8Array {
  const found = new Set<string>();
  const add = (kind: IdentifierKind, text: string): void => {
    const read = normalize(kind, text, country);
    if ('form' in read) found.add(identifierOf(kind, read.form));
    else errors.push(`${kind}: ${REASONS[read.unusable]}`);
  };
  if (id !== '') add('service_user_id', id);
  for (const kind of COLUMN_KINDS) {
    for (const text of record[kind] ?? []) add(kind, text);
    for (const text of record[kind + HASHED_SUFFIX] ?? []) {
      const digits = text.trim().toLowerCase();
      if (/^[0-9a-f]{64}$/.test(digits)) found.add(identifierOfHash(kind, digits));
      else errors.push(`${kind + HASHED_SUFFIX}: expected 64 hexadecimal digits`);
    }
  }
  return identifierBytes(found);
}

const QUOTED_MAX = 40;

function quoted(text: string): string {
  return JSON.stringify(text.length > QUOTED_MAX ? `${text.slice(0, QUOTED_MAX)}...` : text);
}
