import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { operations } from '../../src/app/dependencies.ts';
import type { Service } from '../../src/app/server.ts';
import { systemClock } from '../../src/base/clock.ts';
import { formatInstant, instantMs } from '../../src/base/instants.ts';
import { addDays, localDateAt, localDay } from '../../src/base/zones.ts';
import { ephemeralRun } from '../../src/cli/dev/ephemeral.ts';
import { startDev } from '../../src/cli/dev.ts';
import type { Field } from '../../src/contract/declare/fields.ts';
import type { Operation } from '../../src/contract/declare/operation.ts';
import { DEMO_MEDIA, readDemoMedia } from '../../src/dev/demo-media.ts';
import { demoAccountId } from '../../src/dev/demo-world.ts';
import type { DevFile } from '../../src/dev/dev-folder.ts';
import { imageConversationCards, videoConversationCards } from '../../src/features/ads/cards/conversation-cards.ts';
import { pollCards } from '../../src/features/ads/cards/poll-cards.ts';
import { cards } from '../../src/features/ads/cards.ts';
import { shownFile } from '../../src/features/media/shown-file.ts';
import { loadSettings } from '../../src/settings/load.ts';
import type { Settings } from '../../src/settings.ts';
import { type Client, clientOf } from '../rig/client.ts';
import { openPlace, type Place } from '../rig/databases.ts';

const DAY_MS = 86_400_000;

function settingsOf(place: Place, flags: Readonly<Partial<Settings>> = {}): Settings {
  return loadSettings({
    ...{ mode: 'dev', environment: {}, readFile: () => '' },
    flags: {
      ...{ data_folder: place.folder, database_url: place.databaseUrl, port: 0, sandbox_port: 0 },
      ...{ rate_limits: 'off', log_level: 'silent', ...flags },
    },
  });
}

interface Demo {
  readonly service: Service;
  readonly file: DevFile;
  readonly client: Client;
  readonly account: string;
  readonly path: string;
  /** What the ledger and its cursor were when the server said that it was ready. */
  readonly atStart: { readonly settled_until: string | undefined; readonly days: number };
}

/** Starts the demo world; the job that settles delivery is left out, so that nothing does before somebody reads. */
async function openDemo(place: Place, flags?: Readonly<Partial<Settings>>): Promise<Demo> {
  const { service, file } = await startDev(settingsOf(place, flags), {
    ...{ reset: false, hasContents: true, followsKeys: false },
    seams: { aroundJobKinds: (kinds) => kinds.filter(({ name }) => name !== 'delivery.settle') },
  });
  const client = clientOf(service.url, file, systemClock);
  const account = demoAccountId(service.settings);
  const atStart = await service.store.read(async (tx) => ({
    settled_until: (await tx.deliveryLedger.findCursor(account))?.settled_until,
    days: (await tx.deliveryLedger.listDays({ account, from: '0000', until: '9999' })).length,
  }));
  return { service, file, client, account, path: `/12/accounts/${account}`, atStart };
}

let place: Place;
let demo: Demo;
before(async () => {
  place = await openPlace(undefined, { hasSchema: true });
  demo = await openDemo(place, { sample_people: 5000 });
});
after(async () => {
  await demo?.service.close();
  await place.remove();
});

// biome-ignore lint/suspicious/noExplicitAny: rows of every kind
async function listOf(path: string, params: Record<string, string> = {}): Promise<any[]> {
  const { status, body, text } = await demo.client.call('GET', path, { params });
  assert.equal(status, 200, `${path}: ${text}`);
  return body.data;
}
const rowsOf = (what: string, params?: Record<string, string>) => listOf(`${demo.path}/${what}`, params);

describe('the start of a server with the demo world', () => {
  test('begins three weeks ago, and settles nothing of them', async () => {
    const [{ created_at }] = await listOf('/12/accounts');
    assert.equal(demo.atStart.settled_until, created_at);
    const past_ms = systemClock.now() - instantMs(created_at);
    assert.ok(past_ms >= 21 * DAY_MS && past_ms < 22 * DAY_MS, created_at);
    assert.equal(demo.atStart.days, 0);
  });

  test('has no past without people', async () => {
    const other = await openPlace(undefined, { hasSchema: true });
    const one = await openDemo(other, { sample_people: ephemeralRun().defaults.sample_people! });
    try {
      const { body } = await one.client.call('GET', '/12/accounts');
      assert.ok(systemClock.now() - instantMs(body.data[0].created_at) < DAY_MS);
      assert.equal((await one.client.call('GET', `${one.path}/campaigns`)).body.data.length, 7);
    } finally {
      await one.service.close();
      await other.remove();
    }
  });
});

describe('the demo world', () => {
  test('has delivered on each day of three weeks, with other numbers on each', async () => {
    const lines = await rowsOf('line_items');
    const campaigns = await rowsOf('campaigns');
    const isRunning = (id: string) => campaigns.find((each) => each.id === id)?.effective_status === 'RUNNING';
    const running = lines.filter((each) => each.entity_status === 'ACTIVE' && isRunning(each.campaign_id));
    assert.deepEqual(running.map(({ name }) => name).sort(), [
      'Clicks to the order form',
      'Commuters',
      'Installs',
      'Viewers',
      'Viewers of cheerful videos',
      'Visitors of the shop',
    ]);
    const [{ timezone }] = await listOf('/12/accounts');
    const first = addDays(localDateAt(systemClock.now() - 21 * DAY_MS, timezone), 1);
    const startOf = (days: number) => formatInstant(localDay(addDays(first, days), timezone).start_ms);
    const numbers = new Map<string, { impressions: number[]; spend: number[] }>();
    for (const week of [0, 7, 14]) {
      const days = week === 14 ? 6 : 7;
      const found = await listOf(`/12/stats/accounts/${demo.account}`, {
        ...{ entity: 'LINE_ITEM', entity_ids: running.map(({ id }) => id).join(), granularity: 'DAY' },
        ...{ metric_groups: 'ENGAGEMENT,BILLING', placement: 'ALL_ON_SERVICE' },
        ...{ start_time: startOf(week), end_time: startOf(week + days) },
      });
      for (const { id, id_data } of found) {
        const known = numbers.get(id) ?? { impressions: [], spend: [] };
        known.impressions.push(...id_data[0].metrics.impressions);
        known.spend.push(...id_data[0].metrics.billed_charge_local_micro);
        numbers.set(id, known);
      }
    }
    for (const { id, name } of running) {
      const { impressions, spend } = numbers.get(id)!;
      assert.equal(impressions.length, 20, name);
      assert.ok(
        impressions.every((each) => each > 0) && spend.every((each) => each > 0),
        `${name} ${impressions} ${spend}`,
      );
      assert.ok(new Set(impressions).size > 10, `${name} ${impressions}`);
    }
  });

  test('has conversions, and tags that are tracked', async () => {
    const tags = await rowsOf('web_event_tags');
    assert.deepEqual(
      tags.map(({ name, status }) => [name, status]),
      [
        ['Visits', 'ACTIVE'],
        ['Orders', 'ACTIVE'],
      ],
    );
    const [{ timezone }] = await listOf('/12/accounts');
    const today = localDateAt(systemClock.now(), timezone);
    const lines = (await rowsOf('line_items')).filter(({ objective }) => objective === 'WEBSITE_CLICKS');
    const found = await listOf(`/12/stats/accounts/${demo.account}`, {
      ...{ entity: 'LINE_ITEM', entity_ids: lines.map(({ id }) => id).join(), granularity: 'TOTAL' },
      ...{ metric_groups: 'WEB_CONVERSION', placement: 'ALL_ON_SERVICE' },
      start_time: formatInstant(localDay(addDays(today, -7), timezone).start_ms),
      end_time: formatInstant(localDay(today, timezone).start_ms),
    });
    const sums = found.map(({ id_data }) => id_data[0].metrics);
    assert.ok(sums.some(({ conversion_purchases: { post_engagement } }) => post_engagement?.[0] > 0));
    assert.ok(sums.some(({ conversion_site_visits: { post_engagement } }) => post_engagement?.[0] > 0));
  });

  test('has a card of each type', async () => {
    const wordsOf = (field: { readonly kind: { readonly schema: unknown } }): string[] =>
      JSON.stringify(field.kind.schema).match(/(?<=")[A-Z_]{4,}(?=")/g) ?? [];
    const known = [
      ...wordsOf(cards.fields.card_type),
      ...wordsOf(pollCards.fields.card_type),
      ...[imageConversationCards, videoConversationCards].flatMap((each) => wordsOf(each.computed!.fields.card_type!)),
    ];
    assert.equal(known.length, 18);
    const found = [];
    for (const each of ['cards', 'cards/poll', 'cards/image_conversation', 'cards/video_conversation'])
      found.push(...(await rowsOf(each)).map(({ card_type }) => card_type));
    assert.deepEqual([...new Set(found)].sort(), known.sort());
  });

  test('answers every list of the advertising API, but for what nobody can have at the start', async () => {
    const [line] = (await rowsOf('line_items')).filter(({ name }) => name === 'Commuters');
    const [{ post_id }] = await rowsOf('promoted_posts', { line_item_ids: line.id });
    const [{ card_uri }] = await rowsOf('cards/poll');
    const of: Readonly<Record<string, Readonly<Record<string, string>>>> = {
      'account_history.list': { entity_type: 'LINE_ITEM', entity_id: line.id },
      'cards_all.list': { card_uris: card_uri },
      'curated_categories.list': { country_codes: 'US' },
      'post_previews.list': { post_ids: post_id, post_type: 'PUBLISHED' },
      'posts.list': { post_type: 'PUBLISHED' },
      'targeting_criteria.list': { line_item_ids: line.id },
      'targeting_suggestions.list': { suggestion_type: 'KEYWORD', targeting_values: 'birthday' },
      'tv_shows.list': { locale: 'en-US' },
    };
    const empty: string[] = [];
    for (const { id, path, parameters } of operations.filter(isList)) {
      const needed = Object.entries(parameters).filter(
        ([name, field]) => (field as Field).isRequired && !of[id]?.[name],
      );
      assert.deepEqual(
        needed.map(([name]) => name),
        [],
        `${id} needs a parameter here`,
      );
      const audience = (await rowsOf('custom_audiences'))[0].id;
      const own = path.replace(':account_id', demo.account).replace(/:(custom|tailored)_audience_id/, audience);
      if ((await listOf(own, of[id])).length === 0) empty.push(id);
    }
    assert.deepEqual(empty.sort(), Object.keys(EMPTY).sort());
  });

  test('has pictures and videos as processing would leave them', async (context) => {
    const { media } = demo.service.services;
    for (const { file, poster, ...found } of DEMO_MEDIA) {
      const path = join(tmpdir(), `${process.pid}-${file}`);
      context.after(() => rmSync(path, { force: true }));
      writeFileSync(path, await readDemoMedia(file));
      const media_type = poster === undefined ? 'IMAGE' : 'VIDEO';
      const { category, ...measured } = found;
      const shown = await shownFile(path, { category, media_type, mime: found.mime }, media);
      assert.ok(shown && !('fault' in shown), file);
      assert.deepEqual(shown.properties, measured, file);
      if (shown.copy === undefined) continue;
      assert.ok(readFileSync(shown.copy.place).equals(await readDemoMedia(file)), `${file} has metadata`);
      await media.received.discard(shown.copy);
    }
    for (const { media_url, poster_media_url } of await rowsOf('media_library')) {
      for (const url of [media_url, poster_media_url].filter(Boolean)) {
        const served = await fetch(url);
        assert.equal(served.status, 200, url);
        await served.arrayBuffer();
      }
    }
  });

  test('has audiences of several kinds', async () => {
    const kinds = (await rowsOf('custom_audiences')).map(({ name, audience_type }) => [name, audience_type]);
    assert.deepEqual(kinds.sort(), [
      ['Newsletter readers', 'CRM'],
      ['Readers who supply nothing', 'FLEXIBLE'],
      ['Suppliers', 'CRM'],
    ]);
  });
});

/** Lists that are empty at the start, and why. */
const EMPTY: Readonly<Record<string, string>> = {
  'custom_audience_permissions.list': 'audiences are granted to other accounts, and there is one',
  'tailored_audience_permissions.list': 'audiences are granted to other accounts, and there is one',
  'custom_audiences.targeted': 'an audience can be targeted once it was processed',
  'publishers.list': 'the service hosts no videos',
  'stats_jobs.list': 'clients ask for files, which expire soon',
};

function isList({ family, shape, method, onlyIn }: Operation): boolean {
  return family === 'ads' && shape === 'list' && method === 'GET' && onlyIn !== 'sandbox';
}
