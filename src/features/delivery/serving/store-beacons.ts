import { formatInstant } from '../../../base/instants.ts';
import { dateAround } from '../../../base/zones.ts';
import type { SettledAccount } from '../../../contract/services/delivery.ts';
import type { BudgetLease, StoredBeacon } from '../../../contract/store/serving.ts';
import type { WriteTransaction } from '../../../contract/store/store.ts';
import { addToLedger, lockLedger } from '../ledger-writer.ts';
import type { BeaconEvent } from './beacon.ts';
import { budgetKeys } from './budget-keys.ts';
import { type Counted, deliveredBy } from './delivered-by-beacons.ts';
import { type BudgetState, charge, readBudgets } from './read-budgets.ts';
import { touchOf } from './touches.ts';

/** What a node has received for an account, and what it wants to go on. */
export interface Batch {
  readonly node: string;
  readonly views: readonly BeaconEvent[];
  readonly clicks: readonly BeaconEvent[];
  /** The line items whose leases are renewed, with the amount that each needs for one action; 0 gives back what is not promised. */
  readonly wanted: ReadonlyMap<string, number>;
  /** Budgets that it does not need any more. */
  readonly back: readonly string[];
  /** What it has promised of each budget. */
  readonly promised: ReadonlyMap<string, number>;
}

/** What became of it. */
export interface Stored {
  readonly counted: readonly Counted[];
  /** Clicks on ads that nobody is known to have seen yet: the view may be on its way from another node. */
  readonly waiting: readonly BeaconEvent[];
  /** What the node may spend of each budget; budgets without a limit are absent. */
  readonly leases: ReadonlyMap<string, number>;
  /** Budgets of which the lease is smaller than what the node needs, and whether other nodes hold enough of them. */
  readonly short: ReadonlyMap<string, boolean>;
  readonly spentToday: ReadonlyMap<string, number>;
  /** What total budgets had left when the day began. */
  readonly begun: ReadonlyMap<string, number>;
  /** The local day of the leases. */
  readonly day: string;
}

/** A node leases this part of what is left of a budget. @source decision 982 */
const LEASED_PART = 20;
/** Or enough for so many actions, as long as no other node leases any: a small budget is leased whole. */
const LEASED_ACTIONS = 20;
/** Between the account and the node in the tag by which a node asks others to give back what they do not use. */
export const LEASES_WANTED = '/leases/';

/**
 * Stores the beacons of an account in one unit of work: each counts once, clicks only with the view of their ad, and no
 * budget pays more than it has. Everything that follows from a counted beacon belongs here. Then leases what the node
 * needs. @source decision 980, 982, 983
 */
export async function storeBeacons(
  tx: WriteTransaction,
  account: SettledAccount,
  { node, views, clicks, wanted, back, promised }: Batch,
  now_ms: number,
): Promise<Stored> {
  const now = formatInstant(now_ms);
  const { cursor, isNew } = await lockLedger(tx, account.id, now);
  const nonces = [...new Set([...views, ...clicks].map(({ beacon }) => beacon.nonce))];
  const known = new Map((await tx.deliveryBeacons.list(account.id, nonces)).map((each) => [each.nonce, each]));
  const today = dateAround(now_ms, account.timezone);
  const days = new Set([...views, ...clicks].map(({ at_ms }) => dateAround(at_ms, account.timezone))).add(today);
  const lines = new Set([...wanted.keys(), ...[...views, ...clicks].map(({ beacon }) => beacon.line)]);
  const budgets = await readBudgets(tx, account.id, [...lines], [...days]);
  const counted: Counted[] = [];
  const count = (is: Counted['is'], { beacon, at_ms }: BeaconEvent): void => {
    const isPaid = beacon.billed === (is === 'view' ? 'impression' : 'click');
    const day = dateAround(at_ms, account.timezone);
    const charged = isPaid ? charge(budgets, beacon.line, day, beacon.price) : 0;
    counted.push({ beacon, is, at_ms, charged, isBilled: charged > 0 });
  };
  const seen = new Map<string, StoredBeacon>();
  for (const event of views) {
    const { nonce, expires_ms } = event.beacon;
    if (known.has(nonce) || seen.has(nonce) || !budgets.payers.has(event.beacon.line)) continue;
    seen.set(nonce, { account_id: account.id, nonce, viewed_ms: event.at_ms, clicked_ms: null, expires_ms });
    count('view', event);
  }
  const clicked = new Map<string, number>();
  const waiting: BeaconEvent[] = [];
  for (const event of clicks) {
    const { nonce, line } = event.beacon;
    const view = known.get(nonce) ?? seen.get(nonce);
    if (!view) waiting.push(event);
    // Views and clicks arrive on different connections: whichever comes first, both count.
    else if (view.clicked_ms === null && !clicked.has(nonce) && budgets.payers.has(line)) {
      clicked.set(nonce, event.at_ms);
      count('click', event);
    }
  }
  await tx.deliveryBeacons.add(
    [...seen.values()].map((row) => ({ ...row, clicked_ms: clicked.get(row.nonce) ?? null })),
  );
  for (const [nonce, at_ms] of clicked) if (!seen.has(nonce)) await tx.deliveryBeacons.click(account.id, nonce, at_ms);
  await addToLedger(tx, account, deliveredBy(counted, account.timezone), now);
  await tx.deliveryLedger.addViews(viewsOf(counted, account));
  await tx.conversions.addTouches(
    counted
      .filter(({ beacon }) => beacon.isMeasured && beacon.person !== '')
      .map(({ beacon, is, at_ms }) => touchOf({ beacon, is, at: formatInstant(at_ms) })),
  );
  await tx.conversions.addCountedClicks(
    counted.flatMap(({ beacon: { isMeasured, nonce: click }, is, at_ms }) =>
      is === 'click' && isMeasured ? [{ account_id: account.id, click, clicked_at: formatInstant(at_ms) }] : [],
    ),
  );
  if (counted.length > 0 || isNew) await tx.deliveryLedger.saveCursor({ ...cursor, settled_until: now });
  await tx.budgetLeases.save(back.map((budget) => ({ account_id: account.id, budget, node, amount_local_micro: 0 })));
  const { leases, short } = await lease(tx, account.id, { node, today, wanted, promised, budgets });
  if ([...short.values()].includes(true)) tx.invalidate(`serving:${account.id}${LEASES_WANTED}${node}`);
  const begun = new Map<string, number>();
  for (const [key, left] of budgets.left) {
    const [of, id, when] = key.split('/');
    if (when === 'total') begun.set(key, left + (budgets.spentToday.get(`${of}/${id}/${today}`) ?? 0));
  }
  return { counted, waiting, leases, short, spentToday: budgets.spentToday, begun, day: today };
}

function viewsOf(counted: readonly Counted[], { id: account_id, timezone }: SettledAccount) {
  return counted
    .filter(({ is, beacon }) => is === 'view' && beacon.person !== '')
    .map(({ beacon: { person, line }, at_ms }) => ({
      ...{ account_id, person, line_item_id: line, day: dateAround(at_ms, timezone), impressions: 1 },
    }));
}

/** Leases a part of what no other node holds, at least what the node has promised and needs for one more action. */
async function lease(
  tx: WriteTransaction,
  account: string,
  of: Pick<Batch, 'node' | 'wanted' | 'promised'> & { readonly today: string; readonly budgets: BudgetState },
): Promise<Pick<Stored, 'leases' | 'short'>> {
  const { node, today, wanted, promised, budgets } = of;
  const needs = new Map<string, number>();
  for (const [line, need] of wanted) {
    const payers = budgets.payers.get(line);
    if (!payers) continue;
    for (const key of budgetKeys(payers, today)) needs.set(key, Math.max(needs.get(key) ?? 0, need));
  }
  const leases = new Map<string, number>();
  const short = new Map<string, boolean>();
  if (needs.size === 0) return { leases, short };
  const before = await tx.budgetLeases.list(account);
  const held = new Map<string, number>();
  const own = new Map<string, number>();
  for (const { budget, node: holder, amount_local_micro } of before) {
    if (holder === node) own.set(budget, amount_local_micro);
    else held.set(budget, (held.get(budget) ?? 0) + amount_local_micro);
  }
  const changed: BudgetLease[] = [];
  for (const [key, need] of needs) {
    const left = budgets.left.get(key);
    if (left === undefined) continue;
    const heldByOthers = held.get(key);
    const kept = promised.get(key) ?? 0;
    const some = Math.max(
      Math.ceil(left / LEASED_PART),
      kept + need * (heldByOthers === undefined ? LEASED_ACTIONS : 1),
    );
    const amount = Math.max(0, Math.min(left - (heldByOthers ?? 0), need > 0 ? some : kept));
    leases.set(key, amount);
    if (need > 0 && amount < kept + need) short.set(key, (heldByOthers ?? 0) >= need);
    if (own.get(key) !== amount) changed.push({ account_id: account, budget: key, node, amount_local_micro: amount });
  }
  await tx.budgetLeases.save(changed);
  if (before.some(({ budget }) => isOfDayBefore(budget, today)))
    await tx.budgetLeases.removeOfDaysBefore(account, today);
  return { leases, short };
}

function isOfDayBefore(budget: string, today: string): boolean {
  const last = budget.slice(budget.lastIndexOf('/') + 1);
  return last !== 'total' && last < today;
}
