import type { CorpusPost } from '../../contract/store/corpus.ts';
import { COUNTRIES } from './people-words.ts';
import { LANGUAGES, TOPICS, type Topic } from './post-words.ts';
import { type SeededRandom, seededRandom } from './seeded-random.ts';

/** The options of a sample corpus. */
export interface PostsSampleOptions {
  readonly seed: number;
  readonly count: number;
  /** The number of days before the end that posts are spread over. */
  readonly days: number;
  /** Unix seconds. */
  readonly end: number;
  /** The size of the sample population that the authors are from; 0 for posts without authors. */
  readonly people: number;
}

const HOUR_S = 3600;
/** The same as in sample populations. */
const PEOPLE_FROM = 3_000_000_000;
/** Relative activity by local hour. */
const BY_HOUR = [4, 3, 2, 1.5, 1.5, 2, 4, 6, 7, 7, 7, 8, 9, 8, 7, 7, 8, 9, 10, 11, 12, 12, 10, 7];
/** Relative activity by day, beginning with Thursday, which 1970-01-01 was. */
const BY_DAY = [1, 1.05, 0.9, 0.85, 0.95, 1, 1];
/** UTC offsets of countries, in hours. */
const AHEAD: Readonly<Record<string, number>> = {
  US: -6,
  JP: 9,
  IN: 5,
  BR: -3,
  GB: 0,
  ID: 7,
  TR: 3,
  MX: -6,
  DE: 1,
  FR: 1,
  ES: 1,
  CA: -5,
  KR: 9,
  AR: -3,
  IT: 1,
  AU: 10,
  CO: -5,
  NL: 1,
  NG: 1,
  ZA: 2,
  CL: -4,
  SE: 1,
  IE: 0,
  CH: 1,
  TH: 7,
};
const PLACES = [...COUNTRIES, { code: 'TH', language: 'th', weight: 25 }];
/** The number of distinct rare words, which are frequent only together. */
const RARE = 200_000;

/** Generates a post by number, always the same for the same options; later numbers are later posts. */
export type SamplePosts = (number: number) => CorpusPost;

/** Prepares a corpus: country and local hour determine the number and topics of posts. */
export function samplePosts({ seed, count, days, end, people }: PostsSampleOptions): SamplePosts {
  const start = end - days * 24 * HOUR_S;
  const until = cumulated(start, days);
  const all = until.at(-1)!;
  const topics = prepared(TOPICS);
  let hour = 0;
  let places = PLACES.map((place) => ({ ...place }));
  let placesOf = -1;

  /** The weight of each country at an hour. */
  const placesAt = (at: number): typeof places => {
    if (placesOf !== at) {
      places = PLACES.map((place) => ({ ...place, weight: place.weight * activity(start + at * HOUR_S, place.code) }));
      placesOf = at;
    }
    return places;
  };

  return (number) => {
    const random = seededRandom(seed, number);
    const share = ((number + 0.5) / count) * all;
    if (hour > 0 && until[hour - 1]! > share) hour = 0;
    while (until[hour]! <= share) hour += 1;
    const before = hour === 0 ? 0 : until[hour - 1]!;
    const created_at = start + Math.floor((hour + (share - before) / (until[hour]! - before)) * HOUR_S);
    const place = random.weighted(placesAt(hour));
    const language = random.chance(0.85) && Object.hasOwn(LANGUAGES, place.language) ? place.language : 'en';
    const local = (((((created_at / HOUR_S) | 0) + AHEAD[place.code]!) % 24) + 24) % 24;
    return {
      id: `${created_at}${String(number).padStart(9, '0')}`,
      text: textOf(topics, language, local, random),
      created_at,
      country: random.chance(0.9) ? place.code : null,
      language,
      // Few authors write much, most write little.
      user_id: people > 0 ? String(PEOPLE_FROM + Math.floor(people * random.skewed() ** 2)) : null,
    };
  };
}

function activity(at: number, country: string): number {
  const local = at + AHEAD[country]! * HOUR_S;
  return BY_HOUR[Math.floor(local / HOUR_S) % 24]! * BY_DAY[Math.floor(local / (24 * HOUR_S)) % 7]!;
}

/** Cumulative activity up to the end of each hour. */
function cumulated(start: number, days: number): number[] {
  let sum = 0;
  return Array.from({ length: days * 24 }, (_, hour) => {
    for (const { code, weight } of PLACES) sum += weight * activity(start + hour * HOUR_S, code);
    return sum;
  });
}

interface PreparedTopic {
  readonly weight: number;
  readonly hour: number;
  readonly words: Readonly<Record<string, readonly string[]>>;
  readonly hashtags: readonly string[];
}

function prepared(topics: readonly Topic[]): PreparedTopic[][] {
  const split = topics.map((topic) => ({
    ...topic,
    words: Object.fromEntries(Object.entries(topic.words).map(([language, words]) => [language, words.split(' ')])),
    hashtags: topic.hashtags.split(' '),
  }));
  return Array.from({ length: 24 }, (_, hour) =>
    split.map((topic) => {
      const away = Math.min(Math.abs(topic.hour - hour), 24 - Math.abs(topic.hour - hour));
      return { ...topic, weight: topic.weight * (1 + 2 * Math.exp(-(away * away) / 8)) };
    }),
  );
}

const spoken = Object.fromEntries(
  Object.entries(LANGUAGES).map(([code, { small, plain, isSpaced }]) => [
    code,
    { small: small.split(' '), plain: plain.split(' '), isSpaced },
  ]),
);

function textOf(
  topics: readonly (readonly PreparedTopic[])[],
  language: string,
  hour: number,
  random: SeededRandom,
): string {
  const { small, plain, isSpaced } = spoken[language]!;
  const topic = random.chance(0.7) ? random.weighted(topics[hour]!) : undefined;
  const own = topic && (topic.words[language] ?? topic.words.en!);
  const words: string[] = [];
  for (let left = random.between(4, 20); left > 0; left--) {
    const kind = random.below(100);
    if (kind < 40) words.push(random.early(small)!);
    else if (own && kind < 62) words.push(random.early(own)!);
    else if (kind < 92) words.push(random.early(plain)!);
    else words.push(rareWord(Math.floor(RARE * random.skewed() * random.skewed())));
  }
  const text = isSpaced ? words.join(' ') : words.join('');
  const tags = topic && random.chance(0.25) ? ` #${random.early(topic.hashtags)!}` : '';
  const handle = random.chance(0.1) ? `@demo_${random.below(50_000)} ` : '';
  const address = random.chance(0.08) ? ` https://example.com/${random.hexadecimal(8)}` : '';
  return `${handle}${text}${random.chance(0.3) ? '!' : '.'}${tags}${address}`;
}

const SOUNDS = 'ba ce di fo gu ha je ki lo mu na pe qui ro su ta ve wi xo zu bra cle dri flo gru'.split(' ');

/** An invented word, distinct for each number. */
function rareWord(number: number): string {
  let word = SOUNDS[number % SOUNDS.length]!;
  for (let rest = Math.floor(number / SOUNDS.length); rest > 0; rest = Math.floor(rest / SOUNDS.length)) {
    word += SOUNDS[rest % SOUNDS.length]!;
  }
  return `${word}n`;
}
