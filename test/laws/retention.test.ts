import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { expiryJobKinds } from '../../src/app/catalog.ts';
import { RETENTION, type Retention } from '../../src/app/retention.ts';
import { formatInstant } from '../../src/base/instants.ts';
import { secureRandom } from '../../src/base/random.ts';
import { examineTables } from '../../src/cli/doctor/contents.ts';
import { INDEXING_JOBS, KEYWORD_INDEXING } from '../../src/contract/services/keywords.ts';
import { WEBHOOK_CLEANING, webhookCleaning } from '../../src/features/activity/webhooks/webhook-jobs.ts';
import { keywordIndexing } from '../../src/features/keywords/indexing-job.ts';
import { loadSettings } from '../../src/settings/load.ts';
import type { TableName } from '../../src/storage/core/database.ts';
import type { Driver } from '../../src/storage/core/driver.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import { folderObjects } from '../../src/storage/objects/folder-objects.ts';
import { loadRows } from '../../src/storage/transfer/load-rows.ts';
import type { TransferRow } from '../../src/storage/transfer/row-lines.ts';
import { readTableSchemas, type TableSchema } from '../../src/storage/transfer/table-schema.ts';
import { driverOn, openPlace, type Place } from '../rig/databases.ts';

/** Why each other table is bounded: rows that users make and own, rows of what runs now, or one row for each name. */
const OWNED = 'what users make, with what they have deleted: statistics and the history name it';
const LEDGER = 'the ledger: what was spent of total budgets, and the statistics of all times';
const PEOPLE = 'what was uploaded or imported of people, until it is replaced or its owner removes it';
const QUEUE = 'what waits: it goes when it is done';
const STATE = 'one row for each thing that exists';
const BOUNDED: Readonly<Record<Exclude<TableName, keyof typeof RETENTION>, string>> = {
  ...{ account_apps: OWNED, account_media: OWNED, accounts: OWNED, applications: OWNED, audience_permissions: OWNED },
  ...{ campaigns: OWNED, cards: OWNED, custom_audiences: OWNED, do_not_reach_lists: OWNED, draft_posts: OWNED },
  ...{ funding_instruments: OWNED, image_conversation_cards: OWNED, line_item_curated_categories: OWNED },
  ...{ line_items: OWNED, media_creatives: OWNED, media_library: OWNED, poll_cards: OWNED },
  ...{ posts: OWNED, preroll_call_to_actions: OWNED, promotable_users: OWNED, promoted_accounts: OWNED },
  ...{ promoted_posts: OWNED, publishers: OWNED, scheduled_posts: OWNED, scheduled_promoted_posts: OWNED },
  ...{ subscriptions: OWNED, targeting_criteria: OWNED, tracking_tags: OWNED, uploads: OWNED, users: OWNED },
  ...{ video_conversation_cards: OWNED, web_event_tags: OWNED, webhooks: OWNED },
  ...{ delivery_audiences: LEDGER, delivery_days: LEDGER, delivery_segments: LEDGER },
  ...{ audience_logs: PEOPLE, audience_payloads: PEOPLE, audience_uploads: PEOPLE, directory_users: PEOPLE },
  ...{ cache_changes: QUEUE, event_outbox: QUEUE, jobs: QUEUE, unused_objects: QUEUE, upload_segments: QUEUE },
  ...{ used_nonces: QUEUE },
  ...{ account_features: STATE, account_users: STATE, application_limits: STATE, audience_leaves: STATE },
  ...{ corpus_imports: STATE, corpus_state: STATE, delivery_cursors: STATE, delivery_leases: STATE },
  ...{ derived_files: STATE, directory_imports: STATE, directory_state: STATE, forgotten_nonces: STATE },
  ...{ keyword_index: STATE, message_reads: STATE, nodes: STATE, object_stores: STATE, recovery_codes: STATE },
  ...{ restores: STATE, schema_steps: STATE, second_factors: STATE, sequences: STATE, server_claim: STATE },
  ...{ tax_settings: STATE, user_settings: STATE, verified_backup: STATE },
};

const NOW_MS = Date.parse('2026-03-02T17:00:00Z');
const NOW = formatInstant(NOW_MS);
const DAY_MS = 86_400_000;
const settings = loadSettings({ mode: 'serve', environment: {}, incomplete: true, readFile: () => '', flags: {} });
const UNITS = { ms: 1, s: 1000, days: DAY_MS } as const;

const ALL_OF_POSTGRES =
  "table_name as name from information_schema.tables where table_schema = current_schema() and table_type = 'BASE TABLE'";

/** A row whose time is this, with the name or number of its age in every other column. */
function rowOf({ columns }: TableSchema, { time, as }: Retention, at_ms: number, age: 'old' | 'young'): TransferRow {
  const at = as === 'text' ? formatInstant(at_ms) : String(Math.floor(at_ms / UNITS[as]));
  return columns.map(({ name, type }) => {
    if (name === time) return at;
    if (name === 'kind') return 'click';
    if (type === 'text') return age;
    return type === 'bytes' ? Buffer.from(age) : age === 'old' ? '1' : '2';
  }) as unknown as TransferRow;
}

/** All that removes rows because of their age. */
async function runJobs(driver: Driver, place: Place): Promise<void> {
  const store = storeOn(driver);
  const clock = { now: () => NOW_MS };
  const services = {
    ...{ store, clock, wallClock: clock, objects: folderObjects(place.folder, secureRandom) },
    ...{ media: { machineClock: clock }, activity: { rules: { retention_s: settings.event_retention_s } } },
    audit: { retention_days: settings.audit_retention_days },
    history: { retention_days: settings.history_retention_days },
  } as never;
  const { signal } = new AbortController();
  for (const kind of [...expiryJobKinds, webhookCleaning]) {
    const job = { ...WEBHOOK_CLEANING, kind: kind.name } as never;
    const prepared = await kind.prepare!(job, services, signal);
    await store.write((tx) => kind.store(tx, job, prepared as never, NOW));
  }
  const firstDay = Math.floor(NOW_MS / DAY_MS) - settings.keyword_retention_days;
  const indexing = { kind: KEYWORD_INDEXING, key: INDEXING_JOBS.build } as never;
  await store.write((tx) => keywordIndexing.store(tx, indexing, { change: undefined, firstDay } as never, NOW));
}

for (const which of ['sqlite', 'postgres'] as const) {
  describe(which, () => {
    let place: Place;
    let driver: Driver;
    before(async () => {
      place = await openPlace(which, { hasSchema: true });
      driver = driverOn(place);
    });
    after(async () => {
      await driver.close();
      await place.remove();
    });

    test('each table is bounded by what users own or by what runs, or has a retention', async () => {
      const all = which === 'sqlite' ? "name from sqlite_schema where type = 'table'" : ALL_OF_POSTGRES;
      const found = await driver.read((session) => session.allRaw<{ readonly name: string }>(`select ${all}`));
      const known = [...Object.keys(RETENTION), ...Object.keys(BOUNDED)].sort();
      assert.deepEqual(found.map(({ name }) => name).sort(), known);
    });

    test('of each table with a retention, jobs remove the rows that are older, and no others', async () => {
      const schemas = new Map((await driver.read(readTableSchemas)).map((each) => [each.name, each]));
      const tables = Object.entries<Retention>(RETENTION);
      await driver.write(async (session) => {
        for (const [name, retention] of tables) {
          const rows = [
            rowOf(schemas.get(name)!, retention, NOW_MS - retention.kept_s(settings) * 1000 - 2 * DAY_MS, 'old'),
            rowOf(schemas.get(name)!, retention, NOW_MS + 3_600_000, 'young'),
          ];
          await loadRows(session, schemas.get(name)!, rows);
        }
      });
      const told = async () => {
        const findings = await examineTables(driver, settings, NOW_MS);
        return new Map(findings.map(({ level, message }) => [message.replace(/:.*/, ''), { level, message }]));
      };
      const full = await told();
      assert.equal(full.size, tables.length);
      for (const { level, message } of full.values()) {
        assert.equal(level, 'warning', message);
        assert.match(
          message,
          /^\w+: 2 rows since \d{4}-\d\d-\d\dT[\d:]+Z, \d+\.\d MB; kept (for \d+ (days|hours|minutes)|until they end)/,
        );
      }
      await runJobs(driver, place);
      const left = await told();
      assert.deepEqual([...left.keys()].sort(), Object.keys(RETENTION).sort());
      for (const { level, message } of left.values()) assert.match(`${level} ${message}`, /^ok \w+: 1 row since /);
    });
  });
}
