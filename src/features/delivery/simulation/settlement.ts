import { createHash, type Hash } from 'node:crypto';
import type { UnitsPerDollar } from '../../../base/exchange-rates.ts';
import { formatInstant, instantMs } from '../../../base/instants.ts';
import { localDayAt, startOfHour } from '../../../base/zones.ts';
import type { SettledAccount } from '../../../contract/services/delivery.ts';
import type { DeliveryCursor } from '../../../contract/store/delivery-ledger.ts';
import type { Store, WriteTransaction } from '../../../storage/unit-of-work.ts';
import type { AudienceCounter } from '../audiences/count-audiences.ts';
import { type Bookings, readBookings } from '../bookings.ts';
import { addToLedger } from '../ledger-writer.ts';
import { servesWithin } from '../serving-times.ts';
import { advance, type RunningPlan } from './advance.ts';
import { parseSimulationParameters } from './knobs.ts';
import { prepareLines } from './prepared-line.ts';
import { readState } from './read-state.ts';
import { type SettledAudiences, settleAudiences } from './settled-audiences.ts';

/** Maximum time span settled in one call. */
const CALL_MS_MAX = 90 * 86_400_000;
/** Maximum time span settled in one unit of work; while something serves, a local day. */
const UNIT_MS_MAX = 7 * 86_400_000;
const HOUR_MS = 3_600_000;
/** Attempts to settle an account that other processes settle at the same time. */
const ATTEMPTS = 5;

/** Dependencies of a simulated settlement. */
export interface SimulationDeps {
  readonly store: Store;
  readonly counter: AudienceCounter;
  readonly unitsPerDollar: UnitsPerDollar;
}

/** Runs in the unit of work of a settlement. */
type AfterSettling = (tx: WriteTransaction, bookings: Bookings) => Promise<void>;

/**
 * Settles the simulated delivery of an account up to a time (milliseconds since 1970, whole seconds). The first settlement of
 * an account starts its delivery and delivers nothing. A settlement without deliveries is only stored before a change, which
 * must not apply to the past.
 */
export async function settleAccount(
  deps: SimulationDeps,
  account: SettledAccount,
  now_ms: number,
  isChange: boolean,
  afterSettling: AfterSettling,
): Promise<void> {
  let passed_ms = 0;
  for (let conflicts = 0; conflicts < ATTEMPTS; ) {
    const outcome = await settleSome(deps, account, now_ms, isChange, afterSettling);
    if (outcome === 'conflict') {
      conflicts += 1;
      continue;
    }
    passed_ms += outcome.passed_ms;
    if (outcome.isDone || passed_ms >= CALL_MS_MAX) return;
  }
}

type Outcome = 'conflict' | { readonly isDone: boolean; readonly passed_ms: number };
const DONE: Outcome = { isDone: true, passed_ms: 0 };

async function settleSome(
  { store, counter, unitsPerDollar }: SimulationDeps,
  account: SettledAccount,
  now_ms: number,
  isChange: boolean,
  afterSettling: AfterSettling,
): Promise<Outcome> {
  const { cursor, bookings, stored } = await store.read(async (tx) => ({
    cursor: await tx.deliveryLedger.findCursor(account.id),
    bookings: await readBookings(tx, account),
    stored: await tx.deliveryLedger.listAudiences(account.id),
  }));
  const now = formatInstant(now_ms);
  if (!cursor) return startDelivery(store, account, now, afterSettling);
  const from_ms = instantMs(cursor.settled_until);
  if (from_ms >= now_ms) {
    if (isChange) await store.write((tx) => afterSettling(tx, bookings));
    return DONE;
  }
  const rangeTo = (ms: number) => [hourAround(from_ms, account)[0], hourAround(ms, account)[1]] as const;
  const servingIn = (times: ReturnType<typeof rangeTo>) =>
    bookings.lines.filter((line) => servesWithin(bookings, line, times));
  const longest_ms = Math.min(now_ms, from_ms + UNIT_MS_MAX);
  // Audiences are counted for a day.
  const isIdle = servingIn(rangeTo(longest_ms)).length === 0;
  const until_ms = isIdle ? longest_ms : Math.min(longest_ms, localDayAt(from_ms, account.timezone).end_ms);
  const range = rangeTo(until_ms);
  const serving = servingIn(range);
  if (serving.length === 0 && !isChange && until_ms === now_ms) return DONE;
  const audiences = await settleAudiences(counter, bookings, serving, stored, cursor.settled_until);
  const before = fingerprint(bookings, audiences, cursor, range);
  return store.write(async (tx): Promise<Outcome> => {
    const locked = await tx.deliveryLedger.lockCursor(account.id);
    if (locked?.settled_until !== cursor.settled_until) return 'conflict';
    const booked = await readBookings(tx, account, { lock: true });
    if (fingerprint(booked, audiences, locked, range) !== before) return 'conflict';
    await deliver(tx, { booked, audiences, unitsPerDollar, cursor: locked, from_ms, until_ms, now });
    await afterSettling(tx, booked);
    return { isDone: until_ms === now_ms, passed_ms: until_ms - from_ms };
  });
}

function startDelivery(
  store: Store,
  account: SettledAccount,
  now: string,
  afterSettling: AfterSettling,
): Promise<Outcome> {
  return store.write(async (tx) => {
    if (await tx.deliveryLedger.lockCursor(account.id)) return 'conflict';
    await tx.deliveryLedger.saveCursor({ account_id: account.id, settled_until: now, seed: account.id });
    await afterSettling(tx, await readBookings(tx, account));
    return DONE;
  });
}

/** Digest of the inputs of the plans of the hours in a range. */
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

/** The local hour that contains a time, as UTC texts. */
function hourAround(ms: number, { timezone }: SettledAccount): readonly [from: string, until: string] {
  const day = localDayAt(ms, timezone);
  const start_ms = startOfHour(ms, day);
  return [formatInstant(start_ms), formatInstant(Math.min(start_ms + HOUR_MS, day.end_ms))];
}

interface Period {
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
  { booked, audiences, unitsPerDollar, cursor, from_ms, until_ms, now }: Period,
): Promise<void> {
  const { account } = booked;
  const knobs = parseSimulationParameters(cursor.knobs);
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
  // An empty plan is stored too, because planning the hour again from a later time would draw other numbers.
  const plan = running ? writePlan(running, digest(until_ms)) : null;
  await tx.deliveryLedger.saveCursor({ ...cursor, settled_until: formatInstant(until_ms), plan });
}

type StoredSpot = readonly [
  line: string,
  creative: string,
  placement: string,
  from_s: number,
  until_s: number,
  numbers: readonly number[],
];

interface StoredPlan {
  readonly digest: string;
  readonly until_s: number;
  readonly spots: readonly StoredSpot[];
}

/** Serializes a plan with the digest of its inputs; metrics by index. */
function writePlan({ until_s, spots }: RunningPlan, digest: string): string {
  const stored = spots.map(
    ({ line, creative, placement, ...spot }): StoredSpot => [
      line,
      creative,
      placement,
      spot.from_s,
      spot.until_s,
      spot.numbers,
    ],
  );
  return JSON.stringify({ digest, until_s, spots: stored } satisfies StoredPlan);
}

/** Parses a stored plan; undefined if there is none, or its inputs have changed. */
function readPlan(text: string | null | undefined, digest: string): RunningPlan | undefined {
  if (!text) return undefined;
  const stored = JSON.parse(text) as StoredPlan;
  if (stored.digest !== digest) return undefined;
  const spots = stored.spots.map(([line, creative, placement, from_s, until_s, numbers]) => {
    return { line, creative, placement, from_s, until_s, numbers };
  });
  return { until_s: stored.until_s, spots };
}

type Booked = Pick<Bookings, 'account' | 'lines'>;

/** Hash states after the bookings, which are large and digested several times. */
const bookingHashes = new WeakMap<Booked, Hash>();

/** Returns the digest of all inputs of a plan except the ledger. */
function digestOf(booked: Booked, questions: readonly string[], others: readonly string[]): string {
  let bookingHash = bookingHashes.get(booked);
  if (!bookingHash) {
    bookingHash = createHash('sha256').update(`[${JSON.stringify(booked.account)},${JSON.stringify(booked.lines)}`);
    bookingHashes.set(booked, bookingHash);
  }
  return bookingHash
    .copy()
    .update(`,${JSON.stringify(questions)},${JSON.stringify(others)}]`)
    .digest('base64url');
}
