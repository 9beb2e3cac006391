import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { seededRandom } from '../../src/base/random.ts';
import { unpackHours } from '../../src/contract/delivery/packed-hours.ts';
import { addressOf, person, settlePeople, settleReaders } from '../rig/people-of-directory.ts';
import { type BookedAd, bookAd, decide, get, makePublisher } from '../rig/served-ads.ts';
import { openWorld, type World } from '../rig/world.ts';
import { audienceOn, type Kept, update } from './people-calls.ts';

const MUTANTS = 150;
const LANDING = 'https://landing.example';
const KNOWN = ['7001', '7002'];
/** So many that one less would be told, and an interest that all have. */
const READERS = 1100;
const COMMON = '1001';

let world: World;
let ad: BookedAd;
let tag: string;
let stranger: string;
before(async () => {
  world = await openWorld({ flags: { delivery_sandbox: 'served', rate_limits: 'off' } });
  await settlePeople(
    world,
    KNOWN.map((user) => person(user, { gender: '1' })),
  );
  await settleReaders(world, READERS, { interests: COMMON });
  ad = await bookAd(world);
  const params = { name: 'Orders', type: 'PURCHASE', click_window: 7, view_through_window: 1 };
  const made = await world.sandbox.call('POST', `${ad.path}/web_event_tags`, {
    params: { ...params, retargeting_enabled: false },
  });
  tag = made.body.data.id;
  stranger = await makePublisher(world, { owner_user_id: '77', may_explain: false });
});
after(() => world.close());

const random = seededRandom(3, 'attacks');
const below = (max: number): number => random.bytes(4).readUInt32BE() % max;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~';

/** A text with one character changed, left out or doubled, from a place on. */
function mutant(text: string, from: number): string {
  const at = from + below(text.length - from);
  const changed = ['', text[at]!.repeat(2), ALPHABET[below(ALPHABET.length)]!][below(3)]!;
  const made = text.slice(0, at) + changed + text.slice(at + 1);
  return made === text ? `${text}x` : made;
}

async function decision(key: string): Promise<{ readonly impression_url: string; readonly click_url: string }> {
  const placements = [{ id: 'top', type: 'SERVICE_TIMELINE' }];
  return (await decide(world, stranger, { placements, user: { key } })).body.data.placements[0].decisions[0];
}

/** Everything that the ledger has counted. */
async function counted(): Promise<Record<string, number>> {
  await ad.settle();
  const day = await ad.day();
  const metrics = day ? [...unpackHours(day.hours).metrics] : [];
  return Object.fromEntries(metrics.map(([name, numbers]) => [name, numbers.reduce((sum, each) => sum + each, 0)]));
}

const report = (event: object | string): Promise<Response> =>
  fetch(`${world.service.sandboxUrl}/measurement/events`, {
    method: 'POST',
    body: typeof event === 'string' ? event : JSON.stringify({ website_tag_id: ad.account, event_id: tag, ...event }),
    headers: { 'content-type': 'text/plain;charset=UTF-8', origin: 'https://evil.test' },
  });

describe('a stranger', () => {
  test('counts nothing with addresses that are nearly those of an ad', async (t) => {
    const { impression_url, click_url } = await decision('reader 1');
    let tries = 0;
    for (const address of [impression_url, click_url]) {
      const from = address.indexOf('/', 'https://'.length) + 1;
      for (let made = 0; made < MUTANTS; made++) {
        const reply = await get(mutant(address, from));
        tries += 1;
        assert.ok(reply.status < 500, `${reply.status}`);
        const location = String(reply.headers.location ?? LANDING);
        assert.ok(location.startsWith(LANDING) || location.startsWith('/'), location);
      }
    }
    assert.deepEqual(await counted(), {});
    t.diagnostic(`${tries} addresses`);
  });

  test('leads nobody elsewhere with the link of an ad', async () => {
    const { click_url } = await decision('reader 2');
    const evil = ['https://evil.test/', '//evil.test', 'javascript:alert(1)', '/\\evil.test'];
    const names = ['url', 'to', 'next', 'target', 'redirect', 'return_to', 'landing', 'u'];
    for (const name of names) {
      for (const target of evil) {
        const link = new URL(click_url);
        link.searchParams.append(name, target);
        for (const address of [link.href, `${click_url}/${encodeURIComponent(target)}`, `${click_url}#${target}`]) {
          const { headers, text } = await get(address, {
            headers: { host: 'evil.test', referer: 'https://evil.test/' },
          });
          assert.doesNotMatch(`${headers.location ?? ''} ${headers.refresh ?? ''} ${text}`, /evil\.test|javascript:/);
        }
      }
    }
  });

  test('reports conversions of no click that is not theirs, and no amount that is none', async (t) => {
    const { impression_url, click_url } = await decision('reader 3');
    await get(impression_url);
    const click_id = new URL(String((await get(click_url)).headers.location)).searchParams.get('click_id')!;
    world.clock.advance(60);
    const start = await counted();
    let tries = 0;
    for (let made = 0; made < MUTANTS; made++) {
      const reply = await report({ click_id: mutant(click_id, 0), value: 10 });
      tries += 1;
      assert.ok(reply.status === 204 || reply.status === 400, String(reply.status));
    }
    assert.deepEqual(await counted(), start);
    for (const value of [-1, 1e308, 9e18, '9e9', 'NaN', [1], { a: 1 }, true, 10_001]) {
      const reply = await report({ click_id, value });
      tries += 1;
      assert.equal(reply.status, 400, JSON.stringify(value));
    }
    assert.deepEqual(await counted(), start);
    for (let sent = 0; sent < 3; sent++) await report({ click_id, conversion_id: 'one', value: 10 });
    const { 'conversion_purchases.post_engagement': orders, 'conversion_purchases.sale_amount_engagement': amount } =
      await counted();
    assert.deepEqual([orders, amount], [1, 10_000_000]);
    t.diagnostic(`${tries} reports`);
  });

  test('learns of nobody whether the directory has them', async () => {
    const placements = [{ id: 'top', type: 'SERVICE_TIMELINE' }];
    const answers = new Set<string>();
    for (const id of [...KNOWN, '1', '999', 'x', '', '7001 ', '07001']) {
      const { status, body } = await decide(world, stranger, { placements, user: { id } });
      answers.add(`${status} ${body.detail ?? body.title}`);
      assert.notEqual(status, 200, id);
    }
    assert.ok(answers.size <= 2, [...answers].join('\n'));
  });
});

describe('an advertiser', () => {
  const nobodies = Array.from({ length: 100 }, (_, each) => `nobody.${each}@mail.test`);
  const victim = addressOf(READERS - 1);
  const upload = async (kept: Kept, addresses: readonly string[]): Promise<void> => {
    const reply = await kept.upload([update(addresses.map((address) => ({ email: [hash('sha256', address)] })))]);
    assert.equal(reply.status, 200, reply.text);
    world.clock.advance(world.service.settings.audience_processing_delay_production_s);
    await world.service.jobs.runDue();
  };

  test('learns of no address whether anybody has it by adding it to an audience', async () => {
    const [account] = (await world.production.call('GET', '/12/accounts')).body.data;
    const kept = await audienceOn(world.production, `/12/accounts/${account.id}`);
    await upload(
      kept,
      Array.from({ length: 124 }, (_, number) => addressOf(number)),
    );
    const before = await kept.show();
    assert.equal(before.audience_size, 120);
    for (const address of [nobodies[0]!, victim]) {
      await upload(kept, [address]);
      assert.deepEqual(await kept.show(), before, address);
    }
  });

  test('learns of no address what its owner is like by estimates with and without them', async () => {
    const kept = await audienceOn(world.sandbox, ad.path);
    await upload(kept, [victim, ...nobodies]);
    assert.equal((await kept.show()).targetable, true);
    const estimate = async (...more: object[]) => {
      const json = [{ targeting_type: 'INTEREST', targeting_value: COMMON }, ...more];
      const reply = await world.sandbox.call('POST', `${ad.path}/audience_estimate`, { json });
      assert.equal(reply.status, 200, reply.text);
      return reply.body.data.audience_size;
    };
    const all = await estimate();
    assert.deepEqual(all, { min: READERS, max: READERS + 100 });
    for (const operator_type of ['EQ', 'NE']) {
      const own = { targeting_type: 'CUSTOM_AUDIENCE', targeting_value: kept.id, operator_type };
      assert.deepEqual(await estimate(own), all, operator_type);
    }
  });
});
