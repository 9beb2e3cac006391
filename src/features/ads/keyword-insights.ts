import { instantMs } from '../../base/instants.ts';
import { Type } from '../../base/json-schema.ts';
import { tokensOf } from '../../base/tokens.ts';
import { instant, itemsOf, listOf, oneOf, text } from '../../contract/declare/fields.ts';
import type { Operation } from '../../contract/declare/operation.ts';
import { type ErrorDetail, problem } from '../../contract/problems/problems.ts';
import { GRANULARITY_S, type Granularity } from '../../contract/services/keywords.ts';
import { countryCodeOf } from './reference/reference-entry.ts';

const DAYS_MAX = 7;
const KEYWORDS_MAX = 10;
const RELATED_MAX = 30;

const keyword = text({ max: 255 });
// The maximum applies to both lists together and is checked below. @source decision 311
const list = () => listOf(keyword);

/**
 * Counts posts with keywords over time, and finds related terms, in the posts of the service.
 * @source advertising 8; campaigns 15; decision 307, 309, 310 and 312
 */
export const keywordInsights: Operation = {
  id: 'keyword_insights.search',
  method: 'GET',
  path: '/12/insights/keywords/search',
  description: `Count posts that contain any of the keywords, by day or hour, and list up to ${RELATED_MAX} related terms.`,
  group: 'insights',
  family: 'ads',
  rate: 'keyword_insights',
  parameters: {
    granularity: oneOf('DAY', 'HOUR')
      .required()
      .describe('Interval of the counts, from the start time on; the last one may be shorter.'),
    keywords: list()
      .required()
      .describe(
        `Counts posts that contain any of the keywords; several words match as a phrase. At most ${KEYWORDS_MAX} including negative keywords.`,
      ),
    start_time: instant().required().describe('Start of the range, inclusive; a date means midnight UTC.'),
    end_time: instant().describe(
      `End of the range, exclusive, at most ${DAYS_MAX} days after the start; default and maximum: now; a date means midnight UTC.`,
    ),
    location: text({ max: 64 }).describe('Targeting value of a country; default all countries.'),
    negative_keywords: list().describe('Posts that contain any of these are not counted.'),
  },
  body: 'form',
  shape: 'one',
  reply: Type.Closed({
    related_keywords: Type.Array(Type.String(), { maxItems: RELATED_MAX }),
    post_volume: Type.Array(Type.Integer({ minimum: 0 })),
  }),
  problems: ['TOO_MANY_ITEMS', 'TIME_WINDOW_EMPTY', 'TIME_WINDOW_TOO_LONG', 'KEYWORD_WITHOUT_WORDS', 'NOT_A_COUNTRY'],
  validate(input) {
    const all = [...itemsOf(input.keywords), ...itemsOf(input.negative_keywords)];
    const errors: ErrorDetail[] = [];
    if (all.length > KEYWORDS_MAX) {
      errors.push({ problem: 'TOO_MANY_ITEMS', parameter: 'keywords', words: { max: KEYWORDS_MAX } });
    }
    for (const parameter of ['keywords', 'negative_keywords'] as const) {
      const raw = itemsOf(input[parameter]).find((each) => tokensOf(each).length === 0);
      if (raw !== undefined) errors.push({ problem: 'KEYWORD_WITHOUT_WORDS', parameter, words: { raw } });
    }
    const { location, start_time: from, end_time: to } = input;
    if (location != null && countryCodeOf(String(location)) === undefined) {
      errors.push({ problem: 'NOT_A_COUNTRY', parameter: 'location', words: { raw: location } });
    }
    if (from != null && to != null && from >= to) errors.push({ problem: 'TIME_WINDOW_EMPTY', parameter: '' });
    return errors;
  },
  async perform({ services, environment, input, now }) {
    const end = input.end_time == null || input.end_time > now ? now : String(input.end_time);
    const from = instantMs(String(input.start_time)) / 1000;
    const to = instantMs(end) / 1000;
    if (from >= to) throw problem('TIME_WINDOW_EMPTY', { parameter: '' });
    if (to - from > DAYS_MAX * GRANULARITY_S.DAY) {
      throw problem('TIME_WINDOW_TOO_LONG', { parameter: '', words: { days: DAYS_MAX } });
    }
    const { volume, related } = await services.keywords.search({
      environment,
      keywords: itemsOf(input.keywords),
      negatives: itemsOf(input.negative_keywords),
      from,
      to,
      bucket_s: GRANULARITY_S[input.granularity as Granularity],
      country: input.location == null ? undefined : countryCodeOf(String(input.location)),
      related_max: RELATED_MAX,
    });
    return { data: JSON.stringify({ related_keywords: related, post_volume: volume }) };
  },
};
