import Type from 'typebox';
import { instantMs } from '../../base/instants.ts';
import { tokensOf } from '../../base/tokens.ts';
import { instant, itemsOf, listOf, oneOf, text } from '../../contract/declare/fields.ts';
import type { Given, Operation } from '../../contract/declare/operation.ts';
import { type Fault, problem } from '../../contract/problems/problems.ts';
import { GRANULARITY_S, type Granularity } from '../../contract/services/keywords.ts';
import { referenceEntry } from './reference/lookup.ts';

const DAYS_MAX = 7;
const KEYWORDS_MAX = 10;
const RELATED_MAX = 30;

const keyword = text({ max: 255 });
// How many there are together is told of the keywords, whichever are too many.
const list = () => listOf(keyword);

/**
 * How often posts say keywords over time, and what else they say then: counted in the posts that the service holds.
 * @source advertising: Keyword insights result; campaigns 15
 */
export const keywordInsights: Operation = {
  id: 'keyword_insights.search',
  method: 'GET',
  path: '/12/insights/keywords/search',
  about: `How many posts say one of the keywords, by day or hour, and up to ${RELATED_MAX} terms that those posts say more often than others.`,
  group: 'insights',
  family: 'ads',
  rate: 'keyword_insights',
  parameters: {
    granularity: oneOf('DAY', 'HOUR')
      .required()
      .says('What is counted together: days or hours, from the start on; the last may be shorter.'),
    keywords: list()
      .required()
      .says(
        `A post counts that says one of them; several words are said in a row. With the negative ones ${KEYWORDS_MAX} at most.`,
      ),
    start_time: instant().required().says('From then on; a date is its midnight, UTC.'),
    end_time: instant().says(
      `Until then, exclusive, at most ${DAYS_MAX} days after the start; now when it is not given or later.`,
    ),
    location: text({ max: 64 }).says('Only posts of a country, by its targeting value; of everywhere when not given.'),
    negative_keywords: list().says('A post that says one of them does not count.'),
  },
  body: 'form',
  shape: 'one',
  reply: Type.Object(
    {
      related_keywords: Type.Array(Type.String(), { maxItems: RELATED_MAX }),
      post_volume: Type.Array(Type.Integer({ minimum: 0 })),
    },
    { additionalProperties: false },
  ),
  problems: ['TOO_MANY_ITEMS', 'TIME_WINDOW_EMPTY', 'TIME_WINDOW_TOO_LONG', 'KEYWORD_WITHOUT_WORDS', 'NOT_A_COUNTRY'],
  check(given) {
    const all = [...keywordsOf(given, 'keywords'), ...keywordsOf(given, 'negative_keywords')];
    const faults: Fault[] = [];
    if (all.length > KEYWORDS_MAX) {
      faults.push({ problem: 'TOO_MANY_ITEMS', parameter: 'keywords', words: { max: KEYWORDS_MAX } });
    }
    for (const parameter of ['keywords', 'negative_keywords'] as const) {
      const raw = keywordsOf(given, parameter).find((each) => tokensOf(each).length === 0);
      if (raw !== undefined) faults.push({ problem: 'KEYWORD_WITHOUT_WORDS', parameter, words: { raw } });
    }
    const { location, start_time: from, end_time: to } = given;
    if (location != null && countryOf(String(location)) === undefined) {
      faults.push({ problem: 'NOT_A_COUNTRY', parameter: 'location', words: { raw: location } });
    }
    if (from != null && to != null && from >= to) faults.push({ problem: 'TIME_WINDOW_EMPTY', parameter: '' });
    return faults;
  },
  async perform({ services, environment, given, now }) {
    const end = given.end_time == null || given.end_time > now ? now : String(given.end_time);
    const [from, to] = [String(given.start_time), end].map((time) => instantMs(time) / 1000) as [number, number];
    if (from >= to) throw problem('TIME_WINDOW_EMPTY', { parameter: '' });
    if (to - from > DAYS_MAX * GRANULARITY_S.DAY) {
      throw problem('TIME_WINDOW_TOO_LONG', { parameter: '', words: { days: DAYS_MAX } });
    }
    const { volume, related } = await services.keywords.search({
      environment,
      keywords: keywordsOf(given, 'keywords'),
      negatives: keywordsOf(given, 'negative_keywords'),
      from,
      to,
      bucket_s: GRANULARITY_S[given.granularity as Granularity],
      country: given.location == null ? undefined : countryOf(String(given.location)),
      related_max: RELATED_MAX,
    });
    return { data: JSON.stringify({ related_keywords: related, post_volume: volume }) };
  },
};

function keywordsOf(given: Given, parameter: string): string[] {
  return given[parameter] == null ? [] : itemsOf(String(given[parameter]));
}

function countryOf(location: string): string | undefined {
  const entry = referenceEntry('LOCATION', location);
  return entry?.location_type === 'COUNTRIES' ? entry.country_code : undefined;
}
