import { formatInstant } from '../../../base/instants.ts';
import { localDateAt } from '../../../base/zones.ts';
import type { SettledAccount } from '../../../contract/services/delivery.ts';
import type { BudgetLease, CountedAd } from '../../../storage/tables/serving.ts';
import type { WriteTransaction } from '../../../storage/unit-of-work.ts';
import { addToLedger, lockLedger } from '../ledger-writer.ts';
import { type ReceivedBeacon, touchOf } from './beacon.ts';
import { budgetKeys } from './budget-keys.ts';
import { type Counted, deliveredBy } from './delivered-by-beacons.ts';
import { type BudgetState, charge, readBudgets } from './read-budgets.ts';

/** Beacons that a node has received for an account, and the leases that it needs. */
export interface Batch {
  readonly node: string;
  readonly impressions: readonly ReceivedBeacon[];
  readonly clicks: readonly ReceivedBeacon[];
  /** The line items whose leases are renewed, with the cost of one action; 0 returns all but reservations. */
  readonly needs: ReadonlyMap<string, number>;
  /** Budgets whose leases are returned. */
  readonly returned: readonly string[];
  /** The node's reservations by budget. */
  readonly reserved: ReadonlyMap<string, number>;
}

/** The outcome of a batch. */
export interface Stored {
  readonly counted: readonly Counted[];
  /** Clicks without an impression so far, which another node may have received. */
  readonly waiting: readonly ReceivedBeacon[];
  /** The amount that the node may spend of each limited budget. */
  readonly leases: ReadonlyMap<string, number>;
  /** Budgets whose lease is smaller than needed, and whether other nodes lease enough of them. */
  readonly short: ReadonlyMap<string, boolean>;
  readonly spentToday: ReadonlyMap<string, number>;
  /** The rest of total budgets at the start of the day. */
  readonly openingBalances: ReadonlyMap<string, number>;
  /** The local day of the leases. */
  readonly day: string;
}

/** A node leases a twentieth of the rest of a budget. @source decision 982 */
const LEASE_DIVISOR = 20;
/** Or enough for this many actions if no other node leases any; so a small budget is leased as a whole. */
const LEASED_ACTIONS = 20;
/** Separates account and node in the invalidation tag that asks other nodes to return unused leases. */
export const LEASES_WANTED = '/leases/';

/**
 * Stores the beacons of an account: each counts once, clicks only after the impression of their ad, and no budget is
 * overspent. All effects of a counted beacon belong here. Then renews the node's leases.
 * @source decision 980, 982, 983
 */
export async function storeBeacons(
  tx: WriteTransaction,
  account: SettledAccount,
  batch: Batch,
  now_ms: number,
): Promise<Stored> {
  const { node, needs, returned } = batch;
  const events = [...batch.impressions, ...batch.clicks];
  const now = formatInstant(now_ms);
  const { cursor, isNew } = await lockLedger(tx, account.id, now);
  const nonces = [...new Set(events.map(({ beacon }) => beacon.nonce))];
  const known = new Map((await tx.deliveryBeacons.list(account.id, nonces)).map((each) => [each.nonce, each]));
  const today = localDateAt(now_ms, account.timezone);
  const days = new Set(events.map(({ at_ms }) => localDateAt(at_ms, account.timezone))).add(today);
  const lines = new Set([...needs.keys(), ...events.map(({ beacon }) => beacon.line)]);
  const budgets = await readBudgets(tx, account.id, [...lines], [...days]);
  const { counted, waiting, seen, clicked } = count(account, batch, known, budgets);
  await tx.deliveryBeacons.add(
    [...seen.values()].map((row) => ({ ...row, clicked_ms: clicked.get(row.nonce) ?? null })),
  );
  for (const [nonce, at_ms] of clicked) if (!seen.has(nonce)) await tx.deliveryBeacons.click(account.id, nonce, at_ms);
  await addToLedger(tx, account, deliveredBy(counted, account.timezone), now);
  await tx.deliveryLedger.addImpressions(impressionsOf(counted, account));
  await storeForConversions(tx, account.id, counted);
  if (counted.length > 0 || isNew) await tx.deliveryLedger.saveCursor({ ...cursor, settled_until: now });
  await tx.budgetLeases.save(
    returned.map((budget) => ({ account_id: account.id, budget, node, amount_local_micro: 0 })),
  );
  const { leases, short } = await lease(tx, account.id, today, batch, budgets);
  if ([...short.values()].includes(true)) tx.invalidate(`serving:${account.id}${LEASES_WANTED}${node}`);
  const openingBalances = new Map<string, number>();
  for (const [key, left] of budgets.left) {
    const [level, id, when] = key.split('/');
    if (when === 'total') openingBalances.set(key, left + (budgets.spentToday.get(`${level}/${id}/${today}`) ?? 0));
  }
  return { counted, waiting, leases, short, spentToday: budgets.spentToday, openingBalances, day: today };
}

/** Counts each new beacon, and charges its price. */
function count(
  account: SettledAccount,
  { impressions, clicks }: Batch,
  known: ReadonlyMap<string, CountedAd>,
  budgets: BudgetState,
) {
  const counted: Counted[] = [];
  const add = (kind: Counted['kind'], { beacon, at_ms }: ReceivedBeacon): void => {
    const isPaid = beacon.billed === kind;
    const day = localDateAt(at_ms, account.timezone);
    const charged = isPaid ? charge(budgets, beacon.line, day, beacon.price) : 0;
    counted.push({ beacon, kind, at_ms, charged, isBilled: charged > 0 });
  };
  const seen = new Map<string, CountedAd>();
  for (const event of impressions) {
    const { nonce, expires_ms, line } = event.beacon;
    if (known.has(nonce) || seen.has(nonce) || !budgets.payers.has(line)) continue;
    seen.set(nonce, { account_id: account.id, nonce, viewed_ms: event.at_ms, clicked_ms: null, expires_ms });
    add('impression', event);
  }
  const clicked = new Map<string, number>();
  const waiting: ReceivedBeacon[] = [];
  for (const event of clicks) {
    const { nonce, line } = event.beacon;
    const impression = known.get(nonce) ?? seen.get(nonce);
    if (!impression) waiting.push(event);
    else if (impression.clicked_ms === null && !clicked.has(nonce) && budgets.payers.has(line)) {
      clicked.set(nonce, event.at_ms);
      add('click', event);
    }
  }
  return { counted, waiting, seen, clicked };
}

function impressionsOf(counted: readonly Counted[], { id: account_id, timezone }: SettledAccount) {
  return counted
    .filter(({ kind, beacon }) => kind === 'impression' && beacon.person !== '')
    .map(({ beacon: { person, line: line_item_id }, at_ms }) => {
      return { account_id, person, line_item_id, day: localDateAt(at_ms, timezone), impressions: 1 };
    });
}

async function storeForConversions(
  tx: WriteTransaction,
  account_id: string,
  counted: readonly Counted[],
): Promise<void> {
  const measured = counted.filter(({ beacon }) => beacon.isMeasured);
  const touches = measured.filter(({ beacon }) => beacon.person !== '');
  await tx.conversions.addTouches(
    touches.map(({ beacon, kind, at_ms }) =>
      touchOf(beacon, kind === 'impression' ? 'view' : kind, formatInstant(at_ms)),
    ),
  );
  const clicks = measured.filter(({ kind }) => kind === 'click');
  await tx.conversions.addCountedClicks(
    clicks.map(({ beacon, at_ms }) => ({ account_id, click: beacon.nonce, clicked_at: formatInstant(at_ms) })),
  );
}

/** Leases a part of what no other node leases; at least the node's reservations and the cost of another action. */
async function lease(
  tx: WriteTransaction,
  account_id: string,
  today: string,
  { node, needs: needsOfLines, reserved }: Batch,
  budgets: BudgetState,
): Promise<Pick<Stored, 'leases' | 'short'>> {
  const needs = new Map<string, number>();
  for (const [line, need] of needsOfLines) {
    const payers = budgets.payers.get(line);
    if (!payers) continue;
    for (const key of budgetKeys(payers, today)) needs.set(key, Math.max(needs.get(key) ?? 0, need));
  }
  const leases = new Map<string, number>();
  const short = new Map<string, boolean>();
  if (needs.size === 0) return { leases, short };
  const before = await tx.budgetLeases.list(account_id);
  const leasedByOthers = new Map<string, number>();
  const own = new Map<string, number>();
  for (const { budget, node: holder, amount_local_micro } of before) {
    if (holder === node) own.set(budget, amount_local_micro);
    else leasedByOthers.set(budget, (leasedByOthers.get(budget) ?? 0) + amount_local_micro);
  }
  const changed: BudgetLease[] = [];
  for (const [budget, need] of needs) {
    const left = budgets.left.get(budget);
    if (left === undefined) continue;
    const others = leasedByOthers.get(budget);
    const kept = reserved.get(budget) ?? 0;
    const wanted = Math.max(Math.ceil(left / LEASE_DIVISOR), kept + need * (others === undefined ? LEASED_ACTIONS : 1));
    const amount = Math.max(0, Math.min(left - (others ?? 0), need > 0 ? wanted : kept));
    leases.set(budget, amount);
    if (need > 0 && amount < kept + need) short.set(budget, (others ?? 0) >= need);
    if (own.get(budget) !== amount) changed.push({ account_id, budget, node, amount_local_micro: amount });
  }
  await tx.budgetLeases.save(changed);
  if (before.some(({ budget }) => isOfDayBefore(budget, today))) {
    await tx.budgetLeases.removeOfDaysBefore(account_id, today);
  }
  return { leases, short };
}

function isOfDayBefore(budget: string, today: string): boolean {
  const last = budget.slice(budget.lastIndexOf('/') + 1);
  return last !== 'total' && last < today;
}
