import type { Environment } from '../../../contract/declare/account-state.ts';
import type { Services } from '../../../contract/declare/operation.ts';
import { subjectOf } from '../../../contract/store/custom-audiences.ts';
import type { Condition, PeopleQuery } from '../../../contract/store/directory.ts';
import { readCurrentMembers } from '../../ads/audience-estimate/current-members.ts';
import { buildPeopleQuery } from '../../ads/audience-estimate/people-query.ts';
import type { AudienceQuestion, Expansion } from './questions.ts';

/** The context of audience questions. Times are in Unix seconds. */
export interface QuestionContext {
  readonly services: Pick<Services, 'store' | 'audiences' | 'keywords'>;
  readonly environment: Environment;
  /** Start of the local day, as of which the ages of devices count. */
  readonly dayStart: number;
  /** The time as of which members of audiences count. */
  readonly now: number;
  /** Cached people of do-not-reach lists, which all questions of an account share. */
  readonly lists: Map<string, Uint32Array>;
}

/** Builds the directory query of a question. @throws UNAVAILABLE while the posts for keyword targeting are indexed */
export async function peopleQueryOf(question: AudienceQuestion, context: QuestionContext): Promise<PeopleQuery> {
  const { services, environment, dayStart, now } = context;
  const query = await buildPeopleQuery(question.criteria, {
    keywords: services.keywords,
    environment,
    now: dayStart,
    membersOf: async (audience, operator) =>
      question.audiences.has(audience) ? readCurrentMembers(services, { audience, operator }, now) : new Uint32Array(),
  });
  const anyOf = query.anyOf.map((condition) => expand(condition, question.expansion));
  if (question.excludedList === undefined) return { ...query, anyOf };
  const numbers = await peopleOfList(question.excludedList, context);
  return { ...query, anyOf, noneOf: [...query.noneOf, { is: 'people', numbers }] };
}

/** Adds the lookalikes of a condition; with `BROAD`, also the lookalikes of these. @source decision 954 */
function expand(condition: Condition, expansion: Expansion): Condition {
  if (expansion === 'DEFINED' || condition.is === 'nobody') return condition;
  const alike: Condition = { is: 'alike', to: condition };
  return expansion === 'EXPANDED' ? alike : { is: 'alike', to: alike };
}

async function peopleOfList(list: string, { services, now, lists }: QuestionContext): Promise<Uint32Array> {
  const subject = subjectOf('list', list);
  const found = lists.get(list) ?? (await services.audiences.members.usersOf({ leaf: subject, negate: false }, now));
  lists.set(list, found);
  return found;
}
