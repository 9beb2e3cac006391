import { instantMs } from '../../../base/instants.ts';
import { localDateAt } from '../../../base/zones.ts';
import type { DeliveryAudience } from '../../../contract/store/delivery-ledger.ts';
import type { AudienceCount, AudienceCounter } from '../audiences/count-audiences.ts';
import type { Booking, Bookings } from '../bookings.ts';
import { servingTimes } from '../serving-times.ts';
import { instrumentSubject } from './share-auctions.ts';

/** The audiences of the line items in a settlement. */
export interface SettledAudiences {
  /** Audience size of each line item, and of the union of those of each funding instrument. */
  readonly people: ReadonlyMap<string, number>;
  /** Hash of the audience question of each line item. */
  readonly questions: ReadonlyMap<string, string>;
  /** New counts of line items, campaigns and funding instruments. */
  readonly changed: readonly DeliveryAudience[];
}

/**
 * Counts the audiences of line items as of the time from which they can deliver, at the earliest `settledUntil`. A stored count
 * is valid until its question or the directory changes, and at least for the rest of the local day, so that delivery does not
 * depend on the times of settlements.
 * @param serving the line items to count, among all active ones
 * @source decision 941
 */
export async function settleAudiences(
  counter: AudienceCounter,
  { account, lines }: Bookings,
  serving: readonly Booking[],
  stored: readonly DeliveryAudience[],
  settledUntil: string,
): Promise<SettledAudiences> {
  const latest = new Map(stored.map((audience) => [audience.subject, audience]));
  const counts = new Map<string, AudienceCount>();
  const dayOf = (time: string): string => localDateAt(instantMs(time), account.timezone);
  const times = new Map(serving.map((line) => [line.id, later(servingTimes(line)[0], settledUntil)]));
  for (const time of new Set(times.values())) {
    const ids = serving.filter(({ id }) => times.get(id) === time).map(({ id }) => id);
    for (const [id, count] of await counter.count(account, ids, instantMs(time))) counts.set(id, count);
  }
  const people = new Map<string, number>();
  const questions = new Map<string, string>();
  const changed: DeliveryAudience[] = [];
  const store = (subject: string, applies_from: string, count: AudienceCount): boolean => {
    const known = latest.get(subject);
    if (known?.question_hash === count.question_hash && known.directory_mark === count.directory_mark) {
      // The members of an audience change without a change of its question.
      if (dayOf(known.applies_from) === dayOf(applies_from) || hasSamePeople(known, count)) return false;
    }
    changed.push({ account_id: account.id, subject, applies_from, ...count });
    return true;
  };
  /** Time of the first change in each union. */
  const unions = new Map<string, string>();
  for (const line of serving) {
    const count = counts.get(line.id);
    if (!count) continue;
    const time = times.get(line.id)!;
    const isNew = store(line.id, time, count);
    people.set(line.id, isNew ? count.people : latest.get(line.id)!.people);
    questions.set(line.id, count.question_hash);
    if (!isNew) continue;
    for (const subject of [campaignSubject(line), instrumentSubject(line)]) {
      const known = unions.get(subject);
      unions.set(subject, known !== undefined && known < time ? known : time);
    }
  }
  // A line item that has never served has no stored audience.
  const isCounted = ({ id }: Booking): boolean => counts.has(id) || latest.has(id);
  for (const [subject, time] of unions) {
    const members = lines.filter(
      (line) => isCounted(line) && (campaignSubject(line) === subject || instrumentSubject(line) === subject),
    );
    const ids = members.map(({ id }) => id);
    const only = ids.length === 1 ? counts.get(ids[0]!) : undefined;
    store(subject, time, only ?? (await counter.countUnion(account, ids, instantMs(time))));
  }
  const known = new Map([...stored, ...changed].map((audience) => [audience.subject, audience.people] as const));
  for (const subject of new Set(serving.map(instrumentSubject))) {
    const union = known.get(subject);
    if (union !== undefined) people.set(subject, union);
  }
  return { people, questions, changed };
}

function hasSamePeople(one: DeliveryAudience, other: AudienceCount): boolean {
  return one.people === other.people && JSON.stringify(one.shares) === JSON.stringify(other.shares);
}

function campaignSubject({ campaign }: Booking): string {
  return `campaign/${campaign.id}`;
}

function later(one: string, other: string): string {
  return one > other ? one : other;
}
