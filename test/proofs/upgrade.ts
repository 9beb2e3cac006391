import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { cpSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { SCHEMA_LEVEL } from '../../src/storage/core/schema-level.ts';
import { barker, cleanEnvironment, flagsOf, MASTER_KEY, type Outcome, toldBy } from '../commands/program.ts';
import { untilReady } from '../rig/patience.ts';
import { assertAllRun, type GroupNode, openGroup, startNode } from './group.ts';
import { type Ledger, openLedger, repliesIn } from './ledger.ts';
import { startLoad } from './load.ts';
import type { Site } from './sites.ts';
import { openReader } from './stream.ts';
import { verifyEvents, verifyLibrary, verifyRefusals, verifyWhole } from './verify.ts';
import { toldTo } from './webhook.ts';

const NEW_KEY = 'cd'.repeat(32);
/** The settings of the master key in each step of its replacement, in order. @source decision 836 */
const KEYS = {
  known: { BARKER_MASTER_KEY: MASTER_KEY, BARKER_MASTER_KEYS_OLD: `k2:${NEW_KEY}` },
  current: { BARKER_MASTER_KEY: NEW_KEY, BARKER_MASTER_KEY_ID: 'k2', BARKER_MASTER_KEYS_OLD: `k1:${MASTER_KEY}` },
  alone: { BARKER_MASTER_KEY: NEW_KEY, BARKER_MASTER_KEY_ID: 'k2' },
} as const;

/** What is stopped, of an old version or the next one, and what it is started as. */
interface Change {
  readonly entry?: string;
  readonly keys: Readonly<Record<string, string>>;
}

/**
 * Replaces nodes by the next version, one after the other, and back, with a new master key in between, under a mixed load
 * that changes the node with each request. No request may fail, and what clients were told has to hold in the end; a stream
 * that is opened again whenever it ends misses no event. Throws with the first difference.
 */
export async function upgrade(count: number, say: (line: string) => void): Promise<Ledger> {
  const ledger = openLedger();
  // Longer than the balancer takes to notice that a node is stopping, also on a busy machine.
  const group = await openGroup(count, ['--shutdown-grace-s', '5']);
  const ends: (() => Promise<unknown>)[] = [];
  try {
    const { site, home, nodes } = group;
    const next = makeNextVersion(group.folder);
    const reader = await openReader(site, 'backfill_minutes');
    ends.push(reader.stop);
    const load = startLoad(site, home, ledger, { round: 'u', persists: true, of: 1, pause_ms: 20 });
    ends.push(load.stop);
    const change = async (what: string, { entry, keys }: Change, some: readonly GroupNode[] = nodes): Promise<void> => {
      const before = repliesIn(ledger);
      for (const node of some) {
        assert.equal(await node.serving!.stop(), 0, node.serving!.output());
        const { entry: _, ...site } = node.site;
        node.site = { ...site, ...(entry && { entry }), env: { ...node.site.env, ...keys } };
        for (const name of Object.keys(KEYS.current)) if (!(name in keys)) node.site = withoutVariable(node.site, name);
        await startNode(node);
        await untilReady(node.site.operations);
        assertAllRun(group);
        assertNothingFailed(ledger);
      }
      say(`${what}: ${repliesIn(ledger) - before} replies meanwhile`);
    };
    const run = (entry: string | undefined, keys: Readonly<Record<string, string>>, ...args: string[]) =>
      command(entry, [...args, ...flagsOf(site.place)], keys);

    await pause(1000);
    const migrated = await run(next.entry, KEYS.known, 'migrate');
    assert.equal(migrated.code, 0, migrated.stderr);
    assert.equal(migrated.stdout, `applied ${next.migration}\n`);
    assertNothingFailed(ledger);
    say('the schema of the next version, beside the nodes of this one');
    await change('the next version, which knows the new master key', { entry: next.entry, keys: KEYS.known });
    await change('the new master key in use by one', { entry: next.entry, keys: KEYS.current }, nodes.slice(0, 1));
    const early = await run(next.entry, KEYS.current, 'keys', 'reseal');
    assert.equal(early.code, 1, 'secrets are not resealed while a node seals with the old key');
    assert.match(early.stderr, /^barker: servers still encrypt with another master key than k2: /);
    await change('the new master key in use by all', { entry: next.entry, keys: KEYS.current }, nodes.slice(1));
    toldBy(await run(next.entry, KEYS.current, 'keys', 'reseal'));
    await change('the old master key removed', { entry: next.entry, keys: KEYS.alone });
    await change('one node of the version before again', { keys: KEYS.alone }, nodes.slice(-1));
    const listed = await run(undefined, KEYS.alone, 'nodes', '--json');
    const versions = (JSON.parse(listed.stdout) as { version: string; master_keys: string[] }[])
      .map(({ version, master_keys }) => `${version} ${master_keys}`)
      .sort();
    const [ours] = versions;
    assert.deepEqual(versions, [ours, ...Array.from({ length: count - 1 }, () => `${next.version} k2`)]);
    assert.notEqual(ours, `${next.version} k2`);
    await pause(1000);

    await load.stop();
    assertNothingFailed(ledger);
    // A busy machine may let Redis wait too long.
    const repeated = await verifyRefusals(site, ledger, { nodes: count, mayRepeat: group.redisLosses.mayRepeat });
    if (repeated > 0) say(`${repeated} reads were answered again, without Redis`);
    await verifyWhole(site, home, ledger);
    await verifyLibrary(site, ledger);
    await verifyEvents(site, ledger, () => toldTo(group.reached));
    await reader.verify();
    assert.ok(reader.openings() > 1, 'the stream was never opened again');
    say(reader.describe());
  } finally {
    for (const end of ends.reverse()) await end();
    await group.close();
  }
  return ledger;
}

function assertNothingFailed({ unanswered, wrong }: Ledger): void {
  assert.deepEqual([...wrong, ...unanswered].slice(0, 5), [], 'requests failed');
}

function withoutVariable(site: Site, name: string): Site {
  const { [name]: _, ...env } = site.env;
  return { ...site, env };
}

/** The number of the migration that only the next version has: higher than any of this one. */
const MIGRATION = '9990-next-version';

/** A copy of the sources with another version number and a migration that adds columns to what requests read, and an index. */
function makeNextVersion(folder: string): {
  readonly entry: string;
  readonly version: string;
  readonly migration: string;
} {
  const copy = join(folder, 'next-version');
  for (const name of ['src', 'bin']) cpSync(name, join(copy, name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
  const version = '99.0.0';
  writeFileSync(join(copy, 'package.json'), JSON.stringify({ ...manifest, version }));
  const steps = join(copy, 'src/storage/migrations');
  assert.ok(SCHEMA_LEVEL < MIGRATION);
  const tables = [
    'campaigns',
    'line_items',
    'applications',
    'access_tokens',
    'users',
    'jobs',
    'nodes',
    'webhooks',
    'uploads',
  ];
  const text = `import { text } from './columns.ts';
import type { Migration } from './schema-builder.ts';

export const nextVersion: Migration = {
  name: '${MIGRATION}',
  olderServers: 'continue',
  statements: ({ addColumn, index, table }) => [
    table('next_version', { id: text.key() }),
    ...${JSON.stringify(tables)}.map((name) => addColumn(name, 'next_version', text.nullable())),
    index('next_version_campaigns', 'campaigns', ['next_version']),
  ],
};
`;
  writeFileSync(join(steps, `${MIGRATION}.ts`), text);
  const list = readFileSync(join(steps, 'all-migrations.ts'), 'utf8');
  const longer = list.replace(/,?\n?\];\s*$/, ', nextVersion];\n');
  assert.notEqual(longer, list);
  writeFileSync(join(steps, 'all-migrations.ts'), `import { nextVersion } from './${MIGRATION}.ts';\n${longer}`);
  return { entry: join(copy, 'bin/barker.js'), version, migration: MIGRATION };
}

/** Runs a command of a version, this one without an entry. */
async function command(
  entry: string | undefined,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<Outcome> {
  if (entry === undefined) return barker(args, { env });
  const child = spawn(process.execPath, [entry, ...args], { env: { ...cleanEnvironment(), ...env } });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (chunk) => (written[name] += chunk));
  const code = await new Promise<number | null>((done) => child.on('close', done));
  return { code, ...written };
}
