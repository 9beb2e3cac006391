import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { SCHEMA_LEVEL } from '../../src/storage/core/schema-level.ts';
import { type Client, clientOf } from '../rig/client.ts';
import { engine, openPlace, type Place } from '../rig/databases.ts';
import { type Running, startBarker } from '../rig/process.ts';
import { openAccount } from '../rig/world.ts';

/** The one line of the declaration. */
const FIELD = "  probe: oneOf('HIGH', 'LOW').filteredBy('probes').sortable().describe('A probe.'),";
const DECLARATION = 'src/features/ads/campaigns.ts';
const STEPS = 'src/storage/migrations';
/** What is needed to run and to check the copy. */
const COPIED = ['src', 'bin', 'build', 'docs', 'package.json', 'package-lock.json', 'tsconfig.json'];

let copy: string;
/** The copy before anything was changed: its files by name. */
let source: ReadonlyMap<string, string>;
let place: Place;
let running: Running;
let client: Client;
let home: { path: string; instrument: string };
/** A campaign that was there before the field was. */
let old: string;

before(async () => {
  copy = mkdtempSync(join(tmpdir(), 'barker-probe-'));
  for (const name of COPIED) cpSync(name, join(copy, name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  source = textsOf(copy);
  place = await openPlace();
  await start({});
  home = await openAccount(client);
  old = await create({ name: 'old' });
  described.before = await (await fetch(`${running.file.base_url}/openapi.json`)).json();
  await running.kill();
  addField();
  spawnSync(process.execPath, ['build/site.js'], { cwd: copy, stdio: 'inherit' });
  await start({ entry: join(copy, 'bin/barker.js') });
  described.after = await (await fetch(`${running.file.base_url}/openapi.json`)).json();
});
after(async () => {
  await running.kill();
  await place.remove();
  rmSync(copy, { recursive: true, force: true });
});

async function start(options: { readonly entry?: string }): Promise<void> {
  running = await startBarker(place, options);
  // Replies are not what the description of the sources says: that is the point.
  client = clientOf(running.file.sandbox_url!, running.file, systemClock, () => {});
}

/** One line in the declaration; a step of the schema, and its place in the list of steps. */
function addField(): void {
  const declaration = readFileSync(join(copy, DECLARATION), 'utf8');
  const [ahead] = /^ {2}purchase_order_number: .*$/m.exec(declaration)!;
  writeFileSync(
    join(copy, DECLARATION),
    declaration.replace(ahead, () => `${ahead}\n${FIELD}`),
  );
  const number = String(Number.parseInt(SCHEMA_LEVEL, 10) + 1).padStart(4, '0');
  writeFileSync(
    join(copy, STEPS, `${number}-probe.ts`),
    `import { text } from './columns.ts';
import type { Migration } from './schema-builder.ts';

/** A probe on campaigns. */
export const probe: Migration = {
  name: '${number}-probe',
  olderServers: 'continue',
  statements: ({ addColumn }) => [addColumn('campaigns', 'probe', text.nullable())],
};
`,
  );
  const list = readFileSync(join(copy, STEPS, 'all-migrations.ts'), 'utf8');
  const added = `import { probe } from './${number}-probe.ts';\n${list.replace(/,?\n?\];\s*$/, ', probe];\n')}`;
  writeFileSync(join(copy, STEPS, 'all-migrations.ts'), added);
}

describe('a field that is added to campaigns', () => {
  test('is one line of the declaration and one migration', () => {
    const now = textsOf(copy);
    const changed = [...now.keys()].filter((name) => now.get(name) !== source.get(name));
    const [declaration, step, list, ...others] = changed.sort();
    assert.deepEqual([declaration, list, others], [DECLARATION, `${STEPS}/all-migrations.ts`, []]);
    assert.equal(now.size, source.size + 1);
    assert.match(step!, /\/migrations\/\d{4}-probe\.ts$/);
    assert.deepEqual(difference(DECLARATION), { added: [FIELD], removed: 0 });
    const { added, removed } = difference(`${STEPS}/all-migrations.ts`);
    assert.deepEqual([added.length, removed], [2, 1], 'its import and its place');
  });

  // Types know nothing of databases.
  test('has its declared type', { skip: engine !== 'sqlite' }, () => {
    const checked = spawnSync(resolve('node_modules/.bin/tsc'), ['--noEmit'], { cwd: copy, encoding: 'utf8' });
    assert.equal(checked.status, 0, checked.stdout);
  });

  test('is null in existing rows', async () => {
    const { body } = await get(`/campaigns/${old}`);
    assert.equal(body.data.probe, null);
    assert.equal(body.data.name, 'old');
  });

  test('is created, returned, echoed, changed, unset and recorded', async () => {
    const made = await client.call('POST', `${home.path}/campaigns`, { params: campaign({ probe: 'HIGH' }) });
    assert.equal(made.body.data.probe, 'HIGH');
    assert.equal(made.body.request.params.probe, 'HIGH');
    const one = `/campaigns/${made.body.data.id}`;
    assert.equal((await get(one)).body.data.probe, 'HIGH');
    assert.equal((await put(one, { probe: 'LOW' })).body.data.probe, 'LOW');
    assert.equal((await put(one, { name: 'other' })).body.data.probe, 'LOW');
    assert.equal((await put(one, { probe: '' })).body.data.probe, null);
    const history = await get('/account_history', { entity_type: 'CAMPAIGN', entity_id: made.body.data.id });
    assert.deepEqual(
      history.body.data.map((change: Recorded) => [change.changes.probe, change.entity_data.probe]),
      [
        [{ old: 'LOW', new: null }, null],
        [undefined, 'LOW'],
        [{ old: 'HIGH', new: 'LOW' }, 'LOW'],
        [undefined, 'HIGH'],
      ],
    );
  });

  test('is read from JSON batches', async () => {
    const items = ['LOW', null].map((probe) => ({ operation_type: 'Create', params: campaign({ probe }) }));
    const made = await client.call('POST', `/12/batch${home.path.slice('/12'.length)}/campaigns`, { json: items });
    assert.deepEqual(
      made.body.data.map((row: Shown) => row.probe),
      ['LOW', null],
    );
  });

  test('is validated together with all other errors', async () => {
    const refused = await client.call('POST', `${home.path}/campaigns`, {
      params: campaign({ probe: 'MIDDLE', standard_delivery: 'perhaps' }),
    });
    assert.equal(refused.status, 400);
    assert.deepEqual(refused.body.errors, [
      {
        code: 'INVALID_PARAMETER',
        message: 'Expected boolean, got "perhaps" for standard_delivery',
        parameter: 'standard_delivery',
      },
      {
        code: 'INVALID_PARAMETER',
        message: 'Expected a value in HIGH, LOW, got "MIDDLE" for probe',
        parameter: 'probe',
      },
    ]);
  });

  test('filters, sorts and pages lists', async () => {
    const { path, instrument } = await openAccount(client);
    home = { path, instrument };
    for (const probe of ['LOW', 'HIGH', '', 'LOW', 'HIGH']) await create({ name: `named ${probe}`, probe });
    const shown = async (params: Record<string, string | number>) =>
      (await get('/campaigns', params)).body.data.map((row: Shown) => row.probe);
    assert.deepEqual(await shown({ probes: 'HIGH' }), ['HIGH', 'HIGH']);
    assert.deepEqual(await shown({ probes: 'LOW, HIGH', sort_by: 'probe-desc' }), ['LOW', 'LOW', 'HIGH', 'HIGH']);
    assert.deepEqual(await shown({ sort_by: 'probe-asc' }), ['HIGH', 'HIGH', 'LOW', 'LOW', null]);
    const first = await get('/campaigns', { sort_by: 'probe-asc', count: 3 });
    const cursor = first.body.next_cursor;
    assert.deepEqual(await shown({ sort_by: 'probe-asc', count: 3, cursor }), ['LOW', null]);
    const refused = await get('/campaigns', { probes: 'HIGH,MIDDLE' });
    assert.deepEqual(refused.body.errors, [
      {
        code: 'INVALID_PARAMETER',
        message: 'Expected a value in HIGH, LOW, got "MIDDLE" for probes',
        parameter: 'probes',
      },
    ]);
  });

  test('is described, and the descriptions change nowhere else', () => {
    const { schemas } = described.after.components;
    const { description, ...schema } = schemas.Campaign.properties.probe;
    assert.equal(description, 'A probe.');
    assert.deepEqual(schema, { type: ['string', 'null'], enum: ['HIGH', 'LOW', null] });
    assert.ok(schemas.Campaign.required.includes('probe'));
    for (const body of ['CampaignsCreateBody', 'CampaignsUpdateBody']) assert.ok(schemas[body].properties.probe, body);
    const { parameters } = described.after.paths['/12/accounts/{account_id}/campaigns'].get;
    assert.ok(parameters.some((parameter: { name: string }) => parameter.name === 'probes'));
    assert.deepEqual(withoutProbe(described.after), withoutProbe(described.before));
  });
});

interface Shown {
  readonly probe: string | null;
}

interface Recorded {
  readonly changes: { readonly probe?: { readonly old: string | null; readonly new: string | null } };
  readonly entity_data: Shown;
}

// biome-ignore lint/suspicious/noExplicitAny: documents of any shape
const described: { before: any; after: any } = { before: undefined, after: undefined };

const get = (path: string, params: Record<string, string | number> = {}) =>
  client.call('GET', home.path + path, { params });
const put = (path: string, params: Record<string, string>) => client.call('PUT', home.path + path, { params });

function campaign<T>(params: T): T & { name: string; funding_instrument_id: string; entity_status: string } {
  return { name: 'probed', funding_instrument_id: home.instrument, entity_status: 'PAUSED', ...params };
}

async function create(params: Record<string, string>): Promise<string> {
  const made = await client.call('POST', `${home.path}/campaigns`, { params: campaign(params) });
  assert.equal(made.status, 200, made.text);
  return made.body.data.id;
}

/** The sources in a folder, by name. */
function textsOf(folder: string): Map<string, string> {
  const names = globSync('src/**/*.*', { cwd: folder });
  return new Map(names.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
}

/** The lines of a file of the copy that the source does not have, and how many lines of the source it lacks. */
function difference(name: string): { added: string[]; removed: number } {
  const left = source.get(name)!.split('\n');
  const added = readFileSync(join(copy, name), 'utf8')
    .split('\n')
    .filter((line) => {
      const at = left.indexOf(line);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
  return { added, removed: left.length };
}

/** What a document says beside its addresses and the probe. Its lists have the order of the fields: here they have none. */
function withoutProbe(document: unknown): unknown {
  const isOther = (each: { name?: string } | string) =>
    each !== 'probe' && (each as { name?: string })?.name !== 'probes';
  return JSON.parse(JSON.stringify(document).replaceAll('|probe', ''), (name, value) => {
    if (name === 'probe' || name === 'probes' || name === 'servers') return undefined;
    return Array.isArray(value)
      ? value
          .filter(isOther)
          .map((each) => JSON.stringify(each))
          .sort()
      : value;
  });
}
