import type { Environment } from '../../../contract/declare/account-state.ts';
import type { Keywords, Phrase } from '../../../contract/services/keywords.ts';
import type { Condition, PeopleQuery } from '../../../contract/store/directory.ts';
import { referenceEntry } from '../reference/reference-entry.ts';
import { targetingType } from '../targeting-criteria/targeting-types.ts';
import { directoryConditions } from './directory-conditions.ts';
import { type EstimateCriterion, isPrimary } from './parse-criteria.ts';

/** The context for building a query from criteria. */
export interface EstimateContext {
  readonly keywords: Pick<Keywords, 'authorsOf'>;
  readonly environment: Environment;
  /** Unix seconds. */
  readonly now: number;
  /** The members of an audience that a criterion selects, as directory numbers. */
  membersOf(audience: string, operator: EstimateCriterion['operator']): Promise<Uint32Array>;
}

/** People count as active for 90 days, as in audiences. @source decision 285 and 290 */
export const ACTIVE_S = 90 * 86_400;

/** How posts match keywords of each type. @source decision 296, 297 and 320 */
const KEYWORD_MATCHING: Readonly<Record<string, Phrase['match']>> = {
  BROAD_KEYWORD: 'anywhere',
  UNORDERED_KEYWORD: 'anywhere',
  PHRASE_KEYWORD: 'in a row',
  EXACT_KEYWORD: 'alone',
};
/** Types that match people whose posts name the entry. @source decision 298 */
const TOPIC_TYPES = ['CONVERSATION', 'EVENT', 'TV_SHOW'];
/** Types that select the content next to which ads appear, not people. @source decision 301 */
const CONTENT_TYPES = ['IAB_CATEGORY', 'CONTENT_PUBLISHER_USER'];

/** Tests whether a criterion selects people, not the content next to which ads appear. */
export function selectsPeople({ type }: Pick<EstimateCriterion, 'type'>): boolean {
  return !CONTENT_TYPES.includes(type);
}

/**
 * Builds the directory query of criteria: primary criteria are combined with OR, other types with AND (OR within one
 * type), and NE criteria exclude. Types without data match no one. Without primary criteria, the others filter all people.
 * @throws UNAVAILABLE while the posts that keywords need are indexed
 * @source campaigns 10.3; decision 950
 */
export async function buildPeopleQuery(
  criteria: readonly EstimateCriterion[],
  context: EstimateContext,
): Promise<PeopleQuery> {
  const known = criteria.filter(selectsPeople);
  const without = known.filter(({ operator }) => operator === 'NE');
  const primary = known.filter(isPrimary);
  const others = known.filter((each) => each.operator !== 'NE' && !targetingType(each.type).isPrimary);
  const [authorsOfAny, authorsOfNone] = await authorsOfMatchingPosts(primary, without, context);
  return {
    // Primary criteria without matches must result in an empty set.
    anyOf: primary.length === 0 ? [] : [{ is: 'nobody' }, ...(await anyOf(primary, context)), ...authorsOfAny],
    allOf: await Promise.all(
      [...Map.groupBy(others, ({ type }) => type).values()].map((group) => anyOf(group, context)),
    ),
    noneOf: [...(await anyOf(without, context)), ...authorsOfNone],
  };
}

async function anyOf(criteria: readonly EstimateCriterion[], context: EstimateContext): Promise<Condition[]> {
  const found: Condition[] = [];
  for (const [type, group] of Map.groupBy(criteria, (each) => each.type)) {
    if (targetingType(type).value.is === 'audience') {
      for (const criterion of group) found.push(await membersOf(criterion, context));
    } else {
      found.push(...(directoryConditions(type, group, context.now) ?? []));
    }
  }
  return found;
}

async function membersOf({ type, value, operator }: EstimateCriterion, context: EstimateContext): Promise<Condition> {
  const members: Condition = { is: 'people', numbers: await context.membersOf(value, operator) };
  return type === 'CUSTOM_AUDIENCE_EXPANDED' ? { is: 'alike', to: members } : members;
}

/** Finds the authors of posts that match keyword criteria: included and excluded. */
async function authorsOfMatchingPosts(
  primary: readonly EstimateCriterion[],
  without: readonly EstimateCriterion[],
  { keywords, environment }: EstimateContext,
): Promise<readonly [Condition[], Condition[]]> {
  const groups = [primary, without].map((criteria) => criteria.flatMap(phrasesOf));
  if (groups.every((phrases) => phrases.length === 0)) return [[], []];
  const [sought, unwanted] = await keywords.authorsOf(environment, groups);
  return [[{ is: 'users', ids: sought! }], [{ is: 'users', ids: unwanted! }]];
}

function phrasesOf({ type, value }: EstimateCriterion): Phrase[] {
  if (Object.hasOwn(KEYWORD_MATCHING, type)) return [{ match: KEYWORD_MATCHING[type]!, text: value }];
  return TOPIC_TYPES.includes(type) ? [{ match: 'in a row', text: referenceEntry(type, value)!.name }] : [];
}
