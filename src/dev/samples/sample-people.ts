import type { IdentifierKind } from '../../contract/store/audiences.ts';
import { joinMembers, type Person } from '../../contract/store/directory.ts';
import {
  devices,
  interests,
  locations,
  networkOperators,
  platformVersions,
  storeCategories,
} from '../../features/ads/reference/targeting-tables.ts';
import { lazy } from '../../features/ads/reference/tsv-table.ts';
import { findDevicePlatform } from '../../features/ads/targeting-criteria/combination-rules.ts';
import { ENGAGEMENTS } from '../../features/ads/targeting-criteria/targeting-types.ts';
import { identifierBytes, identifierOf } from '../../features/audiences/uploads/hash-identifier.ts';
import { COUNTRIES, FIRST_NAMES, LAST_NAMES } from './people-words.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';

/** The options of a sample population. */
export interface PeopleSampleOptions {
  readonly seed: number;
  readonly users: number;
  /** Registered users, whom some of the people follow. */
  readonly registered: readonly string[];
  /** Unix seconds: the time up to which people were last active. */
  readonly now: number;
}

/** A sample person, with their identifiers in plain text. */
interface SamplePerson {
  readonly person: Person;
  readonly known: Readonly<Record<'email' | 'phone_number' | 'handle' | 'device_id', string>>;
}

/** Ids of sample people begin above those of registered users; those of famous people, below. */
const PEOPLE_FROM = 3_000_000_000;
const FAMOUS_FROM = 2_900_000_000;
const FAMOUS = 5000;
/** A look-up takes a tenth of the time that writing a number does. */
const famousIds = lazy(() => Array.from({ length: FAMOUS }, (_, number) => String(FAMOUS_FROM + number)));
const DAY_S = 86_400;

/** Generates a person by number, always the same for the same options. */
export type Population = (number: number) => SamplePerson;

/** Prepares a population. A few subjects per person make people similar to each other. */
export function samplePeople({ seed, registered, now }: PeopleSampleOptions): Population {
  const subjects = [...Map.groupBy(interests(), ({ name }) => name.split('/')[0]!).values()].map((entries) =>
    entries.map((entry) => entry.targeting_value),
  );
  const places = placesByCountry();
  const operators = Map.groupBy(networkOperators(), (entry) => entry.country_code);
  const phones = Map.groupBy(
    devices().filter(({ os_type }) => os_type === 'iOS' || os_type === 'Android'),
    ({ os_type }) => os_type,
  );
  const versions = Map.groupBy(platformVersions(), ({ os_type }) => os_type);
  const stores = storeCategories().map((entry) => entry.targeting_value);

  return (number) => {
    const random = seededRandom(seed, number);
    const country = random.weighted(COUNTRIES);
    const within = places.get(country.code);
    const city = within && random.chance(0.6) ? random.early(within.cities) : undefined;
    const own = random.distinct(subjects.length, random.between(1, 3));
    const system = random.weighted(SYSTEMS);
    const device = system.os ? random.late(phones.get(system.os)!) : undefined;
    const carriers = operators.get(country.code);
    const known = identifiersOf(number, random);
    const person: Person = {
      user_id: String(PEOPLE_FROM + number),
      country: country.code,
      region: within && random.chance(0.7) ? (random.early(within.regions) ?? null) : null,
      metro: within && random.chance(0.4) ? (random.early(within.metros) ?? null) : null,
      city: city ?? null,
      postal_code: within && random.chance(0.05) ? (random.early(within.postalCodes) ?? null) : null,
      language: random.chance(0.9) ? country.language : 'en',
      gender: random.chance(0.03) ? null : random.chance(0.5) ? '1' : '2',
      age: random.chance(0.05) ? null : 13 + Math.floor(random.skewed() * 70),
      platform: device ? (findDevicePlatform(device.targeting_value) ?? null) : system.platform,
      platform_version: system.os ? random.late(versions.get(system.os)!).targeting_value : null,
      device: device?.targeting_value ?? null,
      network_operator: carriers && random.chance(0.8) ? random.early(carriers)!.targeting_value : null,
      wifi: random.chance(0.35) ? '1' : '0',
      activated_at: now - random.between(1, 1800) * DAY_S,
      interests: joinMembers([...new Set(own.flatMap((subject) => severalOf(subjects[subject]!, random)))]),
      follows: joinMembers(followsOf(own, subjects.length, registered, random)),
      store_categories: joinMembers([
        ...new Set(random.distinct(stores.length, random.between(0, 4)).map((at) => stores[at]!)),
      ]),
      engagements: joinMembers(engagementsOf(registered, random)),
      last_active_at: now - lastSeen(random),
      identifiers: hashed(known, String(PEOPLE_FROM + number)),
    };
    return { person, known };
  };
}

const SYSTEMS = [
  { os: 'Android', platform: '1', weight: 46 },
  { os: 'iOS', platform: '0', weight: 33 },
  { os: undefined, platform: '4', weight: 17 },
  { os: undefined, platform: '3', weight: 4 },
] as const;

interface PlacesWithin {
  readonly regions: readonly string[];
  readonly metros: readonly string[];
  readonly cities: readonly string[];
  readonly postalCodes: readonly string[];
}

function placesByCountry(): ReadonlyMap<string, PlacesWithin> {
  const within = locations().filter(({ location_type }) => location_type !== 'COUNTRIES');
  return new Map(
    [...Map.groupBy(within, ({ country_code }) => country_code)].map(([country, places]) => {
      const of = (type: string) =>
        places.filter(({ location_type }) => location_type === type).map((place) => place.targeting_value);
      return [
        country,
        { regions: of('REGIONS'), metros: of('METROS'), cities: of('CITIES'), postalCodes: of('POSTAL_CODES') },
      ];
    }),
  );
}

function severalOf(values: readonly string[], random: SeededRandom): string[] {
  return random.distinct(values.length, Math.min(values.length, random.between(1, 4))).map((at) => values[at]!);
}

/** Mostly famous people of the subjects that a person likes, and a few others. */
function followsOf(
  own: readonly number[],
  subjects: number,
  registered: readonly string[],
  random: SeededRandom,
): string[] {
  const found = new Set<string>();
  const perSubject = Math.floor(FAMOUS / subjects);
  for (let left = random.between(2, 18); left > 0; left--) {
    const subject = random.chance(0.85) ? own[random.below(own.length)]! : random.below(subjects);
    found.add(famousIds()[subject * perSubject + Math.floor(perSubject * random.skewed() ** 2)]!);
  }
  for (const user of registered) if (random.chance(0.02)) found.add(user);
  return [...found];
}

function engagementsOf(registered: readonly string[], random: SeededRandom): string[] {
  const found = new Set<string>();
  for (const user of registered) {
    if (!random.chance(0.03)) continue;
    found.add(`user:${user}`);
    for (const kind of ENGAGEMENTS.slice(0, random.between(1, ENGAGEMENTS.length))) found.add(kind);
  }
  return [...found];
}

/** Seconds since the last activity: mostly within a month, some within three, a few longer ago. */
function lastSeen(random: SeededRandom): number {
  const days = random.chance(0.8)
    ? random.between(0, 29)
    : random.chance(0.6)
      ? random.between(30, 89)
      : random.between(90, 700);
  return days * DAY_S + random.below(DAY_S);
}

function identifiersOf(number: number, random: SeededRandom): SamplePerson['known'] {
  const first = FIRST_NAMES[random.below(FIRST_NAMES.length)]!;
  const last = LAST_NAMES[random.below(LAST_NAMES.length)]!;
  return {
    email: `${first}.${last}.${number}@example.com`,
    // Of a code that no country has.
    phone_number: `+888${String(number).padStart(11, '0')}`,
    handle: `${first}_${last}_${number}`,
    device_id: [8, 4, 4, 4, 12].map((digits) => random.hexadecimal(digits)).join('-'),
  };
}

const KINDS = [
  'email',
  'phone_number',
  'handle',
  'device_id',
  'service_user_id',
] as const satisfies readonly IdentifierKind[];

function hashed(known: SamplePerson['known'], id: string): Uint8Array {
  const all = { ...known, service_user_id: id };
  return identifierBytes(KINDS.map((kind) => identifierOf(kind, all[kind])));
}
