import type { UnitsPerDollar } from '../../../base/exchange-rates.ts';
import { formatInstant, instantMs } from '../../../base/instants.ts';
import { localDayAround, startOfHour } from '../../../base/zones.ts';
import type { SettledAccount } from '../../../contract/services/delivery.ts';
import type { DeliveryCursor } from '../../../contract/store/delivery-ledger.ts';
import type { Store, WriteTransaction } from '../../../storage/unit-of-work.ts';
import type { AudienceCounter } from '../audience-counter.ts';
import { type Bookings, readBookings } from '../bookings.ts';
import { addToLedger } from '../ledger-writer.ts';
import { servesWithin } from '../serving-times.ts';
import { advance } from './advance.ts';
import { readKnobs } from './knobs.ts';
import { prepareLines } from './prepared-line.ts';
import { readState } from './read-state.ts';
import { type SettledAudiences, settleAudiences } from './settled-audiences.ts';
import { digestOf, readPlan, writePlan } from './stored-plan.ts';

/** At most this much is settled in one call, and in one unit of work; while something serves, a local day. */
const CALL_MS_MAX = 90 * 86_400_000;
const UNIT_MS_MAX = 7 * 86_400_000;
const HOUR_MS = 3_600_000;
/** Attempts to settle an account while other processes settle it too. */
const TRIES = 5;

/** Dependencies of settling. */
interface SettlementDeps {
  readonly store: Store;
  readonly counter: AudienceCounter;
  readonly unitsPerDollar: UnitsPerDollar;
}

/** Further work in the unit of work of a settlement. */
type AfterSettling = (tx: WriteTransaction, bookings: Bookings) => Promise<void>;

/**
 * Settles the delivery of an account up to a time (milliseconds since 1970, whole seconds). The first settlement of an
 * account begins its delivery and delivers nothing. A settlement without deliveries is not written unless `isChange`:
 * the next change must not apply to the past.
 */
export async function settleAccount(
  deps: SettlementDeps,
  account: SettledAccount,
  now_ms: number,
  { isChange, afterSettling }: { readonly isChange: boolean; readonly afterSettling?: AfterSettling },
): Promise<void> {
  let passed_ms = 0;
  for (let tries = 0; tries < TRIES; ) {
    const outcome = await settleSome(deps, account, now_ms, { isChange, afterSettling });
    if (outcome === 'again') tries += 1;
    else passed_ms += outcome.passed_ms;
    if (outcome !== 'again' && (outcome.isDone || passed_ms >= CALL_MS_MAX)) return;
  }
}

type Outcome = 'again' | { readonly isDone: boolean; readonly passed_ms: number };
const NOTHING: Outcome = { isDone: true, passed_ms: 0 };

async function settleSome(
  { store, counter, unitsPerDollar }: SettlementDeps,
  account: SettledAccount,
  now_ms: number,
  { isChange, afterSettling }: { readonly isChange: boolean; readonly afterSettling: AfterSettling | undefined },
): Promise<Outcome> {
  const { cursor, bookings, stored } = await store.read(async (tx) => ({
    cursor: await tx.deliveryLedger.findCursor(account.id),
    bookings: await readBookings(tx, account),
    stored: await tx.deliveryLedger.listAudiences(account.id),
  }));
  const now = formatInstant(now_ms);
  if (!cursor) return begin(store, account, now, afterSettling);
  const from_ms = instantMs(cursor.settled_until);
  if (from_ms >= now_ms) return isChange && afterSettling ? after(store, bookings, afterSettling) : NOTHING;
  const rangeTo = (ms: number) => [hourAround(from_ms, account)[0], hourAround(ms, account)[1]] as const;
  const servingIn = (times: ReturnType<typeof rangeTo>) =>
    bookings.lines.filter((line) => servesWithin(bookings, line, times));
  const longest_ms = Math.min(now_ms, from_ms + UNIT_MS_MAX);
  // Audiences are counted for a day.
  const isIdle = servingIn(rangeTo(longest_ms)).length === 0;
  const until_ms = isIdle ? longest_ms : Math.min(longest_ms, localDayAround(from_ms, account.timezone).end_ms);
  const range = rangeTo(until_ms);
  const serving = servingIn(range);
  if (serving.length === 0 && !isChange && until_ms === now_ms) return NOTHING;
  const audiences = await settleAudiences(counter, bookings, serving, {
    stored,
    settledUntil: cursor.settled_until,
  });
  const found = fingerprint(bookings, audiences, cursor, range);
  return store.write(async (tx): Promise<Outcome> => {
    const locked = await tx.deliveryLedger.lockCursor(account.id);
    if (locked?.settled_until !== cursor.settled_until) return 'again';
    const booked = await readBookings(tx, account, { lock: true });
    if (fingerprint(booked, audiences, locked, range) !== found) return 'again';
    await deliver(tx, { booked, audiences, unitsPerDollar, cursor: locked, from_ms, until_ms, now });
    await afterSettling?.(tx, booked);
    return { isDone: until_ms === now_ms, passed_ms: until_ms - from_ms };
  });
}

/** Delivery begins when an account is settled for the first time. */
function begin(
  store: Store,
  account: SettledAccount,
  now: string,
  afterSettling: AfterSettling | undefined,
): Promise<Outcome> {
  return store.write(async (tx) => {
    if (await tx.deliveryLedger.lockCursor(account.id)) return 'again';
    await tx.deliveryLedger.saveCursor({ account_id: account.id, settled_until: now, seed: account.id });
    await afterSettling?.(tx, await readBookings(tx, account));
    return NOTHING;
  });
}

async function after(store: Store, bookings: Bookings, afterSettling: AfterSettling): Promise<Outcome> {
  await store.write((tx) => afterSettling(tx, bookings));
  return NOTHING;
}

/** Digest of all that the plan of an hour is made from; a range of time has that of all its hours together. */
function fingerprint(
  bookings: Bookings,
  { questions }: SettledAudiences,
  { seed, knobs }: DeliveryCursor,
  range: readonly [from: string, until: string],
): string {
  const hashes = bookings.lines.map((line) =>
    servesWithin(bookings, line, range) ? (questions.get(line.id) ?? '') : '',
  );
  return digestOf(bookings, hashes, [seed, knobs ?? '']);
}

/** The hour of the account's clock in which a time lies: UTC texts. */
function hourAround(ms: number, { timezone }: SettledAccount): readonly [from: string, until: string] {
  const day = localDayAround(ms, timezone);
  const start_ms = startOfHour(ms, day);
  return [formatInstant(start_ms), formatInstant(Math.min(start_ms + HOUR_MS, day.end_ms))];
}

interface Settling {
  readonly booked: Bookings;
  readonly audiences: SettledAudiences;
  readonly unitsPerDollar: UnitsPerDollar;
  readonly cursor: DeliveryCursor;
  readonly from_ms: number;
  readonly until_ms: number;
  readonly now: string;
}

async function deliver(
  tx: WriteTransaction,
  { booked, audiences, unitsPerDollar, cursor, from_ms, until_ms, now }: Settling,
): Promise<void> {
  const { account } = booked;
  const knobs = readKnobs(cursor.knobs);
  const seed = knobs.seed ?? cursor.seed;
  const [, hourEnd] = hourAround(until_ms, account);
  const lines = prepareLines(booked, seed, [cursor.settled_until, hourEnd], unitsPerDollar);
  const digest = (ms: number): string => fingerprint(booked, audiences, cursor, hourAround(ms, account));
  const { delivered, running } = advance({
    account,
    seed,
    knobs,
    lines,
    people: audiences.people,
    from_ms,
    until_ms,
    state: await readState(tx, booked, from_ms),
    running: readPlan(cursor.plan, digest(from_ms)),
  });
  await tx.deliveryLedger.saveAudiences(audiences.changed);
  await addToLedger(tx, account, delivered, now);
  // Even an empty plan is kept: a second plan of the same hour draws other numbers.
  const plan = running ? writePlan(running, digest(until_ms)) : null;
  await tx.deliveryLedger.saveCursor({ ...cursor, settled_until: formatInstant(until_ms), plan });
}
