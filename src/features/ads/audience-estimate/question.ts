import type { Environment } from '../../../contract/declare/resource.ts';
import type { Keywords, Phrase } from '../../../contract/services/keywords.ts';
import type { Condition, PeopleQuestion } from '../../../contract/store/directory.ts';
import { referenceEntry } from '../reference/lookup.ts';
import { targetingType } from '../targeting-criteria/types.ts';
import { type AskedCriterion, isPrimary } from './asked.ts';
import { conditionsOf } from './conditions.ts';

/** What turns criteria into a question to the directory. */
export interface Asking {
  readonly keywords: Pick<Keywords, 'speakersOf'>;
  readonly environment: Environment;
  /** In whole seconds since 1970. */
  readonly now: number;
  /** The people of an audience, by number. */
  membersOf(audience: string): Promise<Uint32Array>;
}

/** How posts say keywords of each type. */
const KEYWORDS: Readonly<Record<string, Phrase['how']>> = {
  BROAD_KEYWORD: 'anywhere',
  UNORDERED_KEYWORD: 'anywhere',
  PHRASE_KEYWORD: 'in a row',
  EXACT_KEYWORD: 'alone',
};
/** What people are interested in shows in their posts, which name it. */
const NAMED = ['CONVERSATION', 'EVENT', 'TV_SHOW'];
/** They say beside which content something is shown, and nothing of people. */
const ABOUT_CONTENT = ['IAB_CATEGORY', 'CONTENT_PUBLISHER_USER'];

/**
 * The question that criteria come to: primary ones are united, of each other type one must hold, and those with NE take
 * away. Types of which nothing is known mean nobody.
 * @source campaigns 10.3
 */
export async function questionOf(criteria: readonly AskedCriterion[], asking: Asking): Promise<PeopleQuestion> {
  const meant = criteria.filter(({ type }) => !ABOUT_CONTENT.includes(type));
  const without = meant.filter(({ operator }) => operator === 'NE');
  const primary = meant.filter(isPrimary);
  const others = meant.filter((each) => each.operator !== 'NE' && !targetingType(each.type).isPrimary);
  const [speakingAny, speakingNone] = await speaking(primary, without, asking);
  return {
    // Primary criteria that nobody fulfils leave nobody.
    anyOf: [{ is: 'nobody' }, ...(await united(primary, asking)), ...speakingAny],
    allOf: await Promise.all(
      [...Map.groupBy(others, ({ type }) => type).values()].map((group) => united(group, asking)),
    ),
    noneOf: [...(await united(without, asking)), ...speakingNone],
  };
}

async function united(criteria: readonly AskedCriterion[], asking: Asking): Promise<Condition[]> {
  const found: Condition[] = [];
  for (const [type, group] of Map.groupBy(criteria, (each) => each.type)) {
    if (targetingType(type).value.is === 'audience') {
      for (const { value } of group) found.push(await membersOf(type, value, asking));
    } else {
      found.push(...(conditionsOf(type, group, asking.now) ?? []));
    }
  }
  return found;
}

async function membersOf(type: string, audience: string, asking: Asking): Promise<Condition> {
  const members: Condition = { is: 'people', numbers: await asking.membersOf(audience) };
  return type === 'CUSTOM_AUDIENCE_EXPANDED' ? { is: 'alike', to: members } : members;
}

/** The people whose posts say what criteria look for, those that are sought and those that are not. */
async function speaking(
  primary: readonly AskedCriterion[],
  without: readonly AskedCriterion[],
  { keywords, environment }: Asking,
): Promise<readonly [Condition[], Condition[]]> {
  const groups = [primary, without].map((criteria) => criteria.flatMap(phrasesOf));
  const [sought, unwanted] = await keywords.speakersOf(environment, groups);
  return [[{ is: 'users', ids: sought! }], [{ is: 'users', ids: unwanted! }]];
}

function phrasesOf({ type, value }: AskedCriterion): Phrase[] {
  if (Object.hasOwn(KEYWORDS, type)) return [{ how: KEYWORDS[type]!, text: value }];
  return NAMED.includes(type) ? [{ how: 'in a row', text: referenceEntry(type, value)!.name }] : [];
}
