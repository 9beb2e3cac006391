import { boundedCache } from '../../../base/bounded-cache.ts';
import { localDayAt } from '../../../base/zones.ts';
import type { Services } from '../../../contract/declare/operation.ts';
import type { SettledAccount } from '../../../contract/services/delivery.ts';
import type { PeopleQuery } from '../../../contract/store/directory.ts';
import { ACTIVE_S } from '../../ads/audience-estimate/people-query.ts';
import { peopleQueryOf, type QuestionContext } from './audience-query.ts';
import { type AudienceQuestion, digestOf, readQuestions } from './questions.ts';
import { COUNTED_WORDS, SEGMENTATIONS, sharesOf } from './shares.ts';

/** Maximum number of cached counts, of tens of kilobytes each. */
const COUNTS_MAX = 2000;

/**
 * Creates the counter of audiences. Each question is counted once for each directory and local day.
 * @param rounded rounds numbers of people; 0 makes the audience empty
 * @source decision 953
 */
export function audienceCounter(
  services: Pick<Services, 'store' | 'clock' | 'audiences' | 'keywords'>,
  rounded = (people: number): number => people,
): AudienceCounter {
  const { store, clock, audiences } = services;
  const cache = boundedCache<string, Promise<AudienceCount>>(COUNTS_MAX);

  /** Reads the questions of a call, and returns a function that counts a union of them. */
  async function prepare(account: SettledAccount, lineItemIds: readonly string[], at_ms: number | undefined) {
    const [questions, state] = await store.read(async (tx) => [
      await readQuestions(tx, account, lineItemIds),
      await tx.directory.findState(),
    ]);
    const now = at_ms ?? clock.now();
    const dayStart = Math.floor(localDayAt(now, account.timezone).start_ms / 1000);
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
      // An empty directory needs no image, nor a thread to build it.
      if (state.people === 0 || union.length === 0) return Promise.resolve(nobody(question_hash, state.mark));
      const key = `${question_hash} ${state.mark} ${dayStart}`;
      const known = cache.get(key);
      if (known) return known;
      const counting = ask(question_hash, union);
      cache.set(key, counting);
      counting.catch(() => cache.delete(key));
      return counting;
    }
    return { questions, count };
  }

  return {
    async count(account, lineItemIds, at_ms) {
      const { questions, count } = await prepare(account, lineItemIds, at_ms);
      const counts = new Map<string, AudienceCount>();
      // Sequentially, because the members of all questions may not fit into memory together.
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

/** The count of an audience question in the directory. */
export interface AudienceCount {
  people: number;
  /** People by segmentation type and segment value, including `UNKNOWN`; those of a type add up to `people` before rounding. */
  shares: Record<string, Record<string, number>>;
  /** Digest of the question; its count is constant for a directory and day. */
  question_hash: string;
  /** Version of the counted directory. */
  directory_mark: string;
}

/** Counts the audiences of line items in the directory: active people as of a time, in milliseconds since 1970. */
export interface AudienceCounter {
  /** Counts by line item, without deleted and unknown ones. @throws UNAVAILABLE while the posts for keyword targeting are indexed */
  count(account: SettledAccount, lineItemIds: readonly string[], at_ms?: number): Promise<Map<string, AudienceCount>>;
  /** Counts the union of the audiences. @throws UNAVAILABLE while the posts for keyword targeting are indexed */
  countUnion(account: SettledAccount, lineItemIds: readonly string[], at_ms?: number): Promise<AudienceCount>;
}
