import { formatInstant, instantMs, parseInstant } from '../../base/instants.ts';
import { localDateAt } from '../../base/zones.ts';
import type { Environment } from '../../contract/declare/account-state.ts';
import type { Services } from '../../contract/declare/operation.ts';
import type { SettledAccount } from '../../contract/services/delivery.ts';
import { accounts } from '../../features/ads/accounts.ts';
import { lineItems } from '../../features/ads/line-items.ts';
import { explainHour } from '../../features/delivery/simulation/explain.ts';
import {
  parseSimulationParameters,
  SCENARIOS,
  type Scenario,
  type SimulationParameters,
} from '../../features/delivery/simulation/knobs.ts';
import type { ReadTransaction } from '../../storage/unit-of-work.ts';
import { type DevCall, DevError, devCall, membersOf, numberIn, textIn, wordIn } from '../surface/call.ts';

/** The dependencies of the calls. */
export type DeliveryToolOptions = Pick<Services, 'store' | 'clock' | 'delivery'>;

/** The calls that explain simulated delivery, and set what it depends on. @source decision 943 */
export function deliveryCalls({ store, clock, delivery }: DeliveryToolOptions): readonly DevCall[] {
  const simulated = async (id: string): Promise<SettledAccount> => {
    const account = await store.read((tx) => findAccount(tx, id));
    if (!account) throw new DevError(404, 'ACCOUNT_UNKNOWN', `there is no account ${id}`);
    const mode = delivery.mode(account.environment);
    if (mode === 'simulated') return account;
    const name = `delivery_${account.environment}`;
    throw new DevError(409, 'NOT_SIMULATED', `delivery is ${mode} in the ${account.environment}; set ${name}`);
  };
  const show = async ({ id }: SettledAccount) => {
    const cursor = await store.read((tx) => tx.deliveryLedger.findCursor(id));
    const knobs = parseSimulationParameters(cursor?.knobs);
    const settled_until = cursor?.settled_until ?? null;
    return { account_id: id, settled_until, ...knobs, seed: knobs.seed ?? cursor?.seed ?? id };
  };
  return [
    devCall(
      'GET /_dev/delivery/line_items/:id',
      'Explains the numbers of a line item in an hour, now or that of ?hour=TIME.',
      async ({ path, query }) => {
        const id = path.id!;
        const home = await store.read((tx) => findHome(tx, id));
        if (home === undefined) throw new DevError(404, 'LINE_ITEM_UNKNOWN', `there is no line item ${id}`);
        const account = await simulated(home);
        await delivery.settle(account);
        const at_ms = readHour(query.get('hour')) ?? clock.now();
        return store.read((tx) => explainHour(tx, account, id, at_ms, delivery.unitsPerDollar));
      },
    ),
    devCall(
      'GET /_dev/delivery/accounts/:id',
      'Shows how far the delivery of an account is settled, and what was set for it.',
      async ({ path }) => show(await simulated(path.id!)),
    ),
    devCall(
      'PUT /_dev/delivery/accounts/:id',
      'Sets what delivery depends on from now on: { "seed", "market_level", "engagement_factor", "scenario" }.',
      async ({ path, body }) => {
        const account = await simulated(path.id!);
        const today = localDateAt(clock.now(), account.timezone);
        const knobs = readBody(body, today);
        // Past delivery keeps its numbers.
        await delivery.settleBeforeChange(account);
        await store.write(async (tx) => {
          const cursor = await tx.deliveryLedger.lockCursor(account.id);
          const begun = { account_id: account.id, settled_until: formatInstant(clock.now()), seed: account.id };
          await tx.deliveryLedger.saveCursor({ ...(cursor ?? begun), knobs: JSON.stringify(knobs) });
        });
        return show(account);
      },
    ),
  ];
}

async function findHome(tx: ReadTransaction, id: string): Promise<string | undefined> {
  const anywhere = { account: undefined, member: undefined, without: undefined, prefix: undefined, after: undefined };
  const [row] = await tx.records.page(lineItems, {
    ...anywhere,
    deleted: 'shown',
    within: { id: [id] },
    sort: [],
    limit: 1,
  });
  return row?.account_id;
}

async function findAccount(tx: ReadTransaction, id: string): Promise<SettledAccount | undefined> {
  const row = await tx.records.get(accounts, { account: undefined, id }, { deleted: 'hidden' });
  const state = await tx.accountMembers.findLimits(id);
  return row && state && { id, environment: state.environment as Environment, timezone: String(row.timezone) };
}

function readHour(text: string | null): number | undefined {
  if (text === null) return undefined;
  const instant = parseInstant(text);
  if (instant !== undefined) return instantMs(instant);
  throw new DevError(400, 'PARAMETER_INVALID', `${text} is not a time such as 2026-03-02T09:00:00Z`, 'hour');
}

const FACTOR = { min: 0.01, max: 100, isFraction: true };

/** Members that are left out have their defaults. */
function readBody(body: unknown, today: string): Partial<SimulationParameters> {
  const members = membersOf(body, ['seed', 'market_level', 'engagement_factor', 'scenario'], 'body');
  const seed = textIn(members.seed, 'seed');
  const market_level = numberIn(members.market_level, 'market_level', FACTOR);
  const engagement_factor = numberIn(members.engagement_factor, 'engagement_factor', FACTOR);
  const scenario = members.scenario === undefined ? undefined : readScenario(members.scenario, today);
  return {
    ...(seed !== undefined && { seed }),
    ...(market_level !== undefined && { market_level }),
    ...(engagement_factor !== undefined && { engagement_factor }),
    ...(scenario && { scenario }),
  };
}

function readScenario(value: unknown, today: string): Scenario {
  const members = membersOf(value, ['name', 'hour'], 'scenario');
  const name = wordIn(members.name, 'name', SCENARIOS);
  if (name === undefined) throw new DevError(400, 'MEMBER_MISSING', 'scenario needs a name', 'name');
  const hour = numberIn(members.hour, 'hour', { min: 0, max: 23 });
  if (name === 'outage' && hour === undefined)
    throw new DevError(400, 'MEMBER_MISSING', 'outage needs an hour', 'hour');
  return { name, ...(name === 'outage' && { hour: hour! }), ...(name === 'early_end' && { from: today }) };
}
