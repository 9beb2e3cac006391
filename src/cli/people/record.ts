import { instantMs, parseInstant } from '../../base/instants.ts';
import { IDENTIFIER_BYTES, IDENTIFIER_KINDS, type IdentifierKind } from '../../contract/store/audiences.ts';
import { joined, type Person } from '../../contract/store/directory.ts';
import { platformOf } from '../../features/ads/targeting-criteria/cross-checks.ts';
import { ENGAGEMENTS } from '../../features/ads/targeting-criteria/types.ts';
import { hashOfIdentifier, normalForm, writeIdentifier } from '../../features/audiences/people/normal-forms.ts';
import { countryMeant, type LookedUp, lookedUp, type PlaceKind, placeMeant } from './look-ups.ts';

/** The columns of a file of people, beside those of identifiers. */
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

/** The id of a user is one of his identifiers by itself. */
const GIVEN_KINDS = IDENTIFIER_KINDS.filter((kind) => kind !== 'service_user_id');
const HASHED = '_sha256';

/** Every column that a file may have: those of identifiers hold them plainly, or hashed when their names say so. */
export const COLUMNS: readonly string[] = [...ATTRIBUTES, ...GIVEN_KINDS, ...GIVEN_KINDS.map((kind) => kind + HASHED)];

/** A person as a file has him: texts by column, several where there are. */
export type PersonRecord = Readonly<Record<string, readonly string[]>>;

/** What reading a record came to: a person, or what is wrong with the record, never repeating an identifier. */
export type RecordRead = Person | readonly string[];

/** Reads a record. @param now in whole seconds since 1970: who has no last activity was active then. */
export function readRecord(record: PersonRecord, now: number): RecordRead {
  const wrong: string[] = [];
  const one = (name: Attribute): string | null => {
    const values = record[name] ?? [];
    if (values.length > 1) wrong.push(`${name}: expected one value, got ${values.length}`);
    return values[0] ?? null;
  };
  const read = <T>(name: Attribute, meaning: (text: string) => T | undefined, expected: string): T | null => {
    const text = one(name);
    if (text === null) return null;
    const meant = meaning(text.trim());
    if (meant === undefined) wrong.push(`${name}: expected ${expected}, got ${shown(text)}`);
    return meant ?? null;
  };
  const among = (name: Attribute, type: LookedUp) =>
    read(name, (text) => lookedUp(type, text), 'a value or name of the look-up');
  const severalAmong = (name: Attribute, meaning: (text: string) => string | undefined, expected: string): string => {
    const meant = (record[name] ?? []).map((text) => {
      const value = meaning(text.trim());
      if (value === undefined) wrong.push(`${name}: expected ${expected}, got ${shown(text)}`);
      return value ?? '';
    });
    return joined([...new Set(meant)]);
  };
  const id = read('user_id', userId, 'a decimal number');
  if (id === null && !record.user_id?.length) wrong.push('user_id: is required');
  const places = readPlaces(read, record);
  const device = among('device', 'DEVICE');
  const platform = among('platform', 'PLATFORM') ?? (device === null ? null : (platformOf(device) ?? null));
  const person: Person = {
    user_id: id ?? '',
    ...places,
    language: among('language', 'LANGUAGE'),
    gender: read('gender', genderMeant, 'male, female, 1 or 2'),
    age: read('age', (text) => (/^\d{1,3}$/.test(text) && +text >= 1 && +text <= 150 ? +text : undefined), '1 to 150'),
    platform,
    platform_version: among('platform_version', 'PLATFORM_VERSION'),
    device,
    network_operator: among('network_operator', 'NETWORK_OPERATOR'),
    wifi: read('wifi', truth, 'true or false'),
    activated_at: read('activated_at', timeMeant, 'a time'),
    last_active_at: read('last_active_at', timeMeant, 'a time') ?? now,
    interests: severalAmong('interests', (text) => lookedUp('INTEREST', text), 'a value or name of the look-up'),
    follows: severalAmong('follows', userId, 'a decimal number'),
    store_categories: severalAmong(
      'store_categories',
      (text) => lookedUp('STORE_CATEGORY', text),
      'a value or name of the look-up',
    ),
    engagements: joined([...new Set((record.engagements ?? []).flatMap((text) => engagementMeant(text, wrong)))]),
    identifiers: readIdentifiers(record, id ?? '', wrong),
  };
  return wrong.length > 0 ? wrong : person;
}

type Reader = <T>(name: Attribute, meaning: (text: string) => T | undefined, expected: string) => T | null;

const PLACES = [
  ['region', 'REGIONS'],
  ['metro', 'METROS'],
  ['city', 'CITIES'],
  ['postal_code', 'POSTAL_CODES'],
] as const satisfies readonly (readonly [Attribute, PlaceKind])[];

/** Where somebody is; whoever is in a place is in its country. */
function readPlaces(read: Reader, record: PersonRecord) {
  let country = read('country', countryMeant, 'a country');
  const within = PLACES.map(([name, kind]) => {
    const input = country;
    const meant = read(
      name,
      (text) => {
        const place = placeMeant(kind, text, input);
        return place && (input === null || place.country === input) ? place : undefined;
      },
      `one of the places of the look-up${record.country ? ' in this country' : ''}`,
    );
    country ??= meant?.country ?? null;
    return meant?.value ?? null;
  });
  const [region = null, metro = null, city = null, postal_code = null] = within;
  return { country, region, metro, city, postal_code };
}

function userId(text: string): string | undefined {
  return /^\d{1,20}$/.test(text) ? String(BigInt(text)) : undefined;
}

function genderMeant(text: string): string | undefined {
  return { '1': '1', male: '1', m: '1', '2': '2', female: '2', f: '2' }[text.toLowerCase()];
}

function truth(text: string): string | undefined {
  return { '1': '1', true: '1', '0': '0', false: '0' }[text.toLowerCase()];
}

function timeMeant(text: string): number | undefined {
  if (/^\d{1,10}$/.test(text) && Number(text) < 2 ** 32) return Number(text);
  const instant = parseInstant(text);
  return instant === undefined ? undefined : Math.floor(instantMs(instant) / 1000);
}

/** `VIDEO_VIEW:user:901` or `ENGAGEMENT:campaign:8k2vd`. */
function engagementMeant(text: string, wrong: string[]): string[] {
  const [kind = '', what = '', id = '', more] = text.trim().split(':');
  const isTarget = what === 'user' ? /^\d{1,20}$/.test(id) : what === 'campaign' && /^[0-9a-z]{1,13}$/.test(id);
  if ((ENGAGEMENTS as readonly string[]).includes(kind) && isTarget && more === undefined)
    return [kind, `${what}:${id}`];
  wrong.push(`engagements: expected KIND:user:ID or KIND:campaign:ID with a kind of ${ENGAGEMENTS.join(', ')}`);
  return [];
}

function readIdentifiers(record: PersonRecord, id: string, wrong: string[]): Uint8Array {
  const found = new Set<string>();
  const add = (kind: IdentifierKind, digits: string): void => void found.add(`${kind} ${digits}`);
  if (id !== '') add('service_user_id', hashOfIdentifier('service_user_id', id));
  for (const kind of GIVEN_KINDS) {
    for (const text of record[kind] ?? []) {
      if (normalForm(kind, text) === '') wrong.push(`${kind}: expected something to hash`);
      else add(kind, hashOfIdentifier(kind, text));
    }
    for (const text of record[kind + HASHED] ?? []) {
      const digits = text.trim().toLowerCase();
      if (/^[0-9a-f]{64}$/.test(digits)) add(kind, digits);
      else wrong.push(`${kind + HASHED}: expected 64 hexadecimal digits`);
    }
  }
  const bytes = Buffer.alloc(found.size * IDENTIFIER_BYTES);
  let at = 0;
  for (const each of found) {
    const [kind, digits] = each.split(' ') as [IdentifierKind, string];
    writeIdentifier(bytes, at, kind, digits);
    at += IDENTIFIER_BYTES;
  }
  return bytes;
}

const SHOWN_MAX = 40;

function shown(text: string): string {
  return JSON.stringify(text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}...` : text);
}
