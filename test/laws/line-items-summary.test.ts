import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { AnyResource, Row } from '../../src/contract/declare/resource.ts';
import {
  decodeSummary,
  encodeSummary,
  LINE_ITEMS_SUMMARY,
  type SummarizedLineItem,
} from '../../src/contract/store/line-items-summary.ts';
import { accountMedia } from '../../src/features/ads/account-media.ts';
import { campaigns } from '../../src/features/ads/campaigns.ts';
import { lineItems } from '../../src/features/ads/line-items.ts';
import { mediaCreatives } from '../../src/features/ads/media-creatives.ts';
import { promotedAccounts } from '../../src/features/ads/promoted-accounts.ts';
import { type LineItemFixture, lineItemCalls, type Params } from '../resources/line-item-calls.ts';
import { fc } from '../rig/laws.ts';
import { rounds } from '../rig/sampling.ts';
import { openWorld, type World } from '../rig/world.ts';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());

const { call, open, campaign, create, change } = lineItemCalls(() => world);

async function rowsOf(account: string, resource: AnyResource): Promise<Row[]> {
  const all = { member: undefined, without: undefined, prefix: undefined, sort: [], after: undefined } as const;
  return world.service.store.read((tx) =>
    tx.records.page(resource, { ...all, account, deleted: 'shown', within: {}, limit: 10_000 }),
  );
}

/** The summaries as single campaigns are read: from memory, if they have not changed since the last time. */
async function remembered(account: string, rows: readonly Row[]): Promise<unknown[]> {
  const { store } = world.service;
  const read = await Promise.all(
    rows.map(({ id }) => store.read((tx) => tx.records.get(campaigns, { account, id }, { deleted: 'shown' }))),
  );
  return read.map((row) => (row as unknown as Row)[LINE_ITEMS_SUMMARY]);
}

/** What each campaign of an account should say, and what it says. */
async function told(account: string): Promise<{ expected: (string | null)[]; actual: unknown[] }> {
  const creatives = [...(await rowsOf(account, promotedAccounts)), ...(await rowsOf(account, mediaCreatives))];
  const shown = creatives.filter((row) => !row.deleted);
  const lines = (await rowsOf(account, lineItems)).filter((row) => !row.deleted);
  const all = await rowsOf(account, campaigns);
  const creative = (line: Row): SummarizedLineItem['creative'] => {
    const own = shown.filter((row) => row.line_item_id === line.id);
    if (own.length === 0) return 'none';
    return own.some((row) => row.approval_status !== 'REJECTED') ? 'accepted' : 'rejected';
  };
  const expected = all.map(({ id }) =>
    encodeSummary(
      lines
        .filter((line) => line.campaign_id === id)
        .map((line) => ({
          entity_status: String(line.entity_status),
          start_time: line.start_time as string | null,
          end_time: line.end_time as string | null,
          hasBudget: line.daily_budget_amount_local_micro !== null || line.total_budget_amount_local_micro !== null,
          creative: creative(line),
        })),
    ),
  );
  const actual = all.map((row) => row[LINE_ITEMS_SUMMARY]);
  assert.deepEqual(await remembered(account, all), actual, 'what is kept in memory');
  return { expected, actual };
}

const SEED = 20260302;
const pick = fc.nat(30);
const dates = fc.constantFrom<Params>(
  {},
  { start_time: '2026-04-01' },
  { start_time: '2026-04-01', end_time: '2026-05-01' },
  { start_time: '2026-05-01', end_time: '2026-06-01' },
  { start_time: '2026-07-01', end_time: '2026-08-01' },
);
const status = fc.constantFrom('ACTIVE', 'PAUSED', 'DRAFT');
const step = fc.oneof(
  fc.record({ does: fc.constant('create' as const), campaign: fc.nat(2), dates, status }),
  fc.record({ does: fc.constant('change' as const), line: pick, dates, status: fc.constantFrom('ACTIVE', 'PAUSED') }),
  fc.record({ does: fc.constant('budget' as const), line: pick, value: fc.constantFrom('', 1_000_000) }),
  fc.record({ does: fc.constant('remove' as const), line: pick }),
  fc.record({ does: fc.constant('promote' as const), line: pick }),
  fc.record({ does: fc.constant('withdraw' as const), promoted: pick }),
  fc.record({ does: fc.constant('show' as const), line: pick }),
  fc.record({ does: fc.constant('hide' as const), shown: pick }),
  fc.record({ does: fc.constant('judge' as const), promoted: pick, as: fc.constantFrom('REJECTED', 'ACCEPTED') }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** What a run made so far. */
interface AppliedChange {
  readonly campaigns: string[];
  readonly lines: string[];
  readonly promoted: string[];
  readonly shown: string[];
}

/** An image that line items can show beside what they promote. */
const BANNER = 'banner';

async function openWithBanner(): Promise<LineItemFixture> {
  const place = await open();
  const now = '2026-01-01T00:00:00Z';
  const facts = { creative_type: 'BANNER', media_key: '3_1', created_at: now, updated_at: now, deleted: 0 } as const;
  await world.service.store.write((tx) =>
    tx.records.insert(accountMedia, { ...facts, id: BANNER, account_id: place.account }),
  );
  return place;
}

async function take(place: LineItemFixture, made: AppliedChange, taken: Step): Promise<void> {
  const of = (pool: readonly string[], at: number) => pool[at % Math.max(pool.length, 1)] ?? 'none';
  const add = ({ status: code, body }: { status: number; body: { data: { id: string } } }, pool: string[]) => {
    if (code === 200) pool.push(body.data.id);
  };
  switch (taken.does) {
    case 'create': {
      const params = { campaign_id: of(made.campaigns, taken.campaign), entity_status: taken.status, ...taken.dates };
      return add(await create(place, 'FOLLOWERS', params), made.lines);
    }
    case 'change':
      return void (await change(place, of(made.lines, taken.line), { entity_status: taken.status, ...taken.dates }));
    case 'budget':
      return void (await change(place, of(made.lines, taken.line), { daily_budget_amount_local_micro: taken.value }));
    case 'remove':
      return void (await call('DELETE', `${place.path}/line_items/${of(made.lines, taken.line)}`));
    case 'promote': {
      const params = { line_item_id: of(made.lines, taken.line), user_id: world.keys.user_id! };
      return add(await call('POST', `${place.path}/promoted_accounts`, params), made.promoted);
    }
    case 'withdraw':
      return void (await call('DELETE', `${place.path}/promoted_accounts/${of(made.promoted, taken.promoted)}`));
    case 'show': {
      const params = { line_item_id: of(made.lines, taken.line), account_media_id: BANNER };
      return add(await call('POST', `${place.path}/media_creatives`, params), made.shown);
    }
    case 'hide':
      return void (await call('DELETE', `${place.path}/media_creatives/${of(made.shown, taken.shown)}`));
    case 'judge': {
      const key = { account: place.account, id: of(made.promoted, taken.promoted) };
      const changes = { approval_status: taken.as };
      return world.service.store.write((tx) => tx.records.update(promotedAccounts, key, changes));
    }
  }
}

describe('the line item summary of a campaign', () => {
  test('equals a recomputation after any writes by eight concurrent writers', async () => {
    const program = fc.array(step, { minLength: 30, maxLength: 60, size: 'max' });
    await fc.assert(
      fc.asyncProperty(program, async (steps) => {
        const place = await openWithBanner();
        const made: AppliedChange = {
          campaigns: await Promise.all([campaign(place), campaign(place), campaign(place)]),
          lines: [],
          promoted: [],
          shown: [],
        };
        for (const at of [0, 1, 2, 3]) {
          await take(place, made, { does: 'create', campaign: at, dates: {}, status: 'ACTIVE' });
          await take(place, made, { does: 'promote', line: at });
        }
        assert.equal(made.promoted.length, 4);
        for (let at = 0; at < steps.length; at += 8) {
          await Promise.all(steps.slice(at, at + 8).map((taken) => take(place, made, taken)));
          const { expected, actual } = await told(place.account);
          assert.deepEqual(actual, expected);
        }
      }),
      { seed: SEED, numRuns: rounds(12), endOnFailure: true },
    );
  });

  test('is correct when all creatives are removed at once', async () => {
    const place = await open();
    const made: AppliedChange = { campaigns: [await campaign(place)], lines: [], promoted: [], shown: [] };
    for (let at = 0; at < 12; at++) {
      await take(place, made, { does: 'create', campaign: 0, dates: {}, status: 'ACTIVE' });
      await take(place, made, { does: 'promote', line: at });
    }
    assert.deepEqual((await told(place.account)).actual, ['rsa /']);
    await Promise.all(made.promoted.map((_, promoted) => take(place, made, { does: 'withdraw', promoted })));
    assert.deepEqual((await told(place.account)).actual, [' /']);
  });

  test('is parsed as written, and its spans cover all flights', () => {
    const time = fc.option(fc.constantFrom('2026-01-01', '2026-02-01', '2026-03-01', '2026-04-01', '2026-05-01'));
    const line = fc
      .record({
        entity_status: status,
        start_time: time,
        end_time: time,
        hasBudget: fc.boolean(),
        creative: fc.constantFrom('none' as const, 'rejected' as const, 'accepted' as const),
      })
      .filter(({ start_time, end_time }) => start_time === null || end_time === null || start_time < end_time);
    const moments = ['2025', ...[1, 2, 3, 4, 5].flatMap((month) => [`2026-0${month}-01`, `2026-0${month}-15`]), '2027'];
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), (lines) => {
        const read = decodeSummary(encodeSummary(lines)!);
        assert.equal(
          read.budgeted,
          lines.some((each) => each.hasBudget),
        );
        for (const now of moments) {
          const unended = lines.filter((each) => each.end_time === null || each.end_time > now);
          const running = unended.filter((each) => each.start_time === null || each.start_time <= now);
          const spans = read.spans.filter((span) => span.until === '' || span.until > now);
          assert.equal(spans.length > 0, unended.length > 0, now);
          assert.equal(
            spans.some((span) => span.from <= now),
            running.length > 0,
            now,
          );
        }
      }),
      { seed: SEED, numRuns: rounds(500) },
    );
  });
});
