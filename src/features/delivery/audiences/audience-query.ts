import type { Environment } from '../../../contract/declare/account-state.ts';
import type { Services } from '../../../contract/declare/operation.ts';
import { subjectOf } from '../../../contract/store/custom-audiences.ts';
import type { Condition, PeopleQuery } from '../../../contract/store/directory.ts';
import { currentMembers } from '../../ads/audience-estimate/current-members.ts';
import { buildPeopleQuery } from '../../ads/audience-estimate/people-query.ts';
import type { AudienceQuestion, Expansion } from './questions.ts';

/** The context of a question. Times are in Unix seconds. */
export interface QuestionContext {
  readonly services: Pick<Services, 'store' | 'audiences' | 'keywords'>;
  readonly environment: Environment;
  /** The start of the local day: ages of devices are those of this time. */
  readonly dayStart: number;
  /** Members of audiences are those of this time. */
  readonly now: number;
  /** The people of do-not-reach lists: all questions of an account have the same. */
  readonly lists: Map<string, Uint32Array>;
}

/**
 * The query of a question, for the directory.
 * @throws UNAVAILABLE while the posts that keywords need are indexed
 */
export async function peopleQueryOf(question: AudienceQuestion, context: QuestionContext): Promise<PeopleQuery> {
  const { services, environment, dayStart, now } = context;
  const query = await buildPeopleQuery(question.criteria, {
    keywords: services.keywords,
    environment,
    now: dayStart,
    membersOf: async (audience, operator) =>
      question.audiences.has(audience) ? currentMembers(services, { audience, operator }, now) : new Uint32Array(),
  });
  const anyOf = query.anyOf.map((condition) => expanded(condition, question.expansion));
  if (question.excludedList === undefined) return { ...query, anyOf };
  const numbers = await peopleOfList(question.excludedList, context);
  return { ...query, anyOf, noneOf: [...query.noneOf, { is: 'people', numbers }] };
}

/** The people of a condition and their lookalikes; with `BROAD`, also the lookalikes of these. @source decision 954 */
function expanded(condition: Condition, expansion: Expansion): Condition {
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
