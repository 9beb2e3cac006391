import { boundedCache } from '../../../base/bounded-cache.ts';
import { localDayAround } from '../../../base/zones.ts';
import type { Services } from '../../../contract/declare/operation.ts';
import type { SettledAccount } from '../../../contract/services/delivery.ts';
import type { PeopleQuery } from '../../../contract/store/directory.ts';
import { ACTIVE_S } from '../../ads/audience-estimate/people-query.ts';
import type { AudienceCount, AudienceCounter } from '../audience-counter.ts';
import { peopleQueryOf, type QuestionContext } from './audience-query.ts';
import { type AudienceQuestion, digestOf, readQuestions } from './questions.ts';
import { COUNTED_WORDS, SEGMENTATIONS, sharesOf } from './shares.ts';

/** Counts that are kept: tens of kilobytes each at most. */
const COUNTS_MAX = 2000;

/**
 * Counts people for delivery. Each question is counted once for each directory and local day.
 * @param rounded rounds a number of people; 0 makes the audience empty
 * @source decision 953
 */
export function audienceCounter(
  services: Pick<Services, 'store' | 'clock' | 'audiences' | 'keywords'>,
  rounded = (people: number): number => people,
): AudienceCounter {
  const { store, clock, audiences } = services;
  const kept = boundedCache<string, Promise<AudienceCount>>(COUNTS_MAX);

  /** Everything that a call reads of the database, and how it counts one set of questions. */
  async function prepare(account: SettledAccount, lineItemIds: readonly string[], at_ms: number | undefined) {
    const [questions, state] = await store.read(async (tx) => [
      await readQuestions(tx, account, lineItemIds),
      await tx.directory.findState(),
    ]);
    const now = at_ms ?? clock.now();
    const dayStart = Math.floor(localDayAround(now, account.timezone).start_ms / 1000);
    const context: QuestionContext = {
      services,
      environment: account.environment,
      dayStart,
      now: Math.floor(now / 1000),
      lists: new Map(),
    };

    async function ask(question_hash: string, union: readonly AudienceQuestion[]): Promise<AudienceCount> {
      const queries: PeopleQuery[] = [];
      for (const question of union) queries.push(await peopleQueryOf(question, context));
      const { mark, ...histogram } = await audiences.directory.histogram(queries, dayStart - ACTIVE_S, COUNTED_WORDS);
      const people = rounded(histogram.people);
      if (people === 0) return nobody(question_hash, mark);
      return { people, shares: sharesOf(histogram), question_hash, directory_mark: mark };
    }

    function count(union: readonly AudienceQuestion[]): Promise<AudienceCount> {
      const hashes = union.map(({ hash }) => hash);
      const question_hash = hashes.length === 1 ? hashes[0]! : digestOf(hashes);
      // An empty directory needs no image, and no thread to make one.
      if (state.people === 0 || union.length === 0) return Promise.resolve(nobody(question_hash, state.mark));
      const key = `${question_hash} ${state.mark} ${dayStart}`;
      const known = kept.get(key);
      if (known) return known;
      const counting = ask(question_hash, union);
      kept.set(key, counting);
      counting.catch(() => kept.delete(key));
      return counting;
    }
    return { questions, count };
  }

  return {
    async count(account, lineItemIds, at_ms) {
      const { questions, count } = await prepare(account, lineItemIds, at_ms);
      const counts = new Map<string, AudienceCount>();
      // One question after the other: their lists of members need not fit into memory together.
      const byHash = new Map<string, AudienceCount>();
      for (const [id, question] of questions) {
        const counted = byHash.get(question.hash) ?? (await count([question]));
        byHash.set(question.hash, counted);
        counts.set(id, counted);
      }
      return counts;
    },
    async countUnion(account, lineItemIds, at_ms) {
      const { questions, count } = await prepare(account, lineItemIds, at_ms);
      const different = new Map([...questions.values()].map((question) => [question.hash, question]));
      return count([...different.values()].sort((a, b) => (a.hash < b.hash ? -1 : 1)));
    },
  };
}

function nobody(question_hash: string, directory_mark: string): AudienceCount {
  return {
    people: 0,
    shares: Object.fromEntries(SEGMENTATIONS.map((type) => [type, {}])),
    question_hash,
    directory_mark,
  };
}
