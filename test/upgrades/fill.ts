import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { operations } from '../../src/app/dependencies.ts';
import { migrations } from '../../src/storage/migrations/all-migrations.ts';
import { schemaBuilder } from '../../src/storage/migrations/schema-builder.ts';
import { goodCall, openTestAccount, send } from '../behaviours/test-account.ts';
import { browserOf, logIn, type Person } from '../rig/browser.ts';
import { goodCalls } from '../rig/good-calls.ts';
import { rawCall } from '../rig/raw.ts';
import { answersOf, mediaIn, READ_FLAGS, readsOf } from '../rig/reads.ts';
import { openWorld } from '../rig/world.ts';
import { writeFixture } from './fixture.ts';

/*
 * Fills the service of the release in whose sources this file lies, and writes what it holds and answers to the file that is named.
 * `npm run upgrade-fixture` runs it there.
 */
const world = await openWorld({ which: 'sqlite', flags: READ_FLAGS });
const { folder } = world.place;
const fixture = await openTestAccount(world);
for (const operation of operations.filter(({ id }) => /^(tax|user)_settings\.update$/.test(id))) {
  await send(fixture.client, await goodCall(fixture, operation));
}
await logIn(browserOf(world.service.url), { name: world.keys.username!, password: world.keys.password! } as Person);
const calls = await readsOf(fixture);
for (const operation of operations) {
  const good = operation.method === 'POST' ? await goodCalls[operation.id]?.(world, world.keys) : undefined;
  if (!good) continue;
  const call = {
    method: 'POST',
    keys: world.keys,
    ...good,
    target: (good.target ?? operation.path) + (good.query ?? ''),
  };
  const { status, text } = await rawCall(world.service.sandboxUrl, world.clock, call);
  if (status >= 300) throw new Error(`${operation.id}: ${status} ${text}`);
}
const answers = await answersOf(world, calls);
const media = await mediaIn(world, answers);
const now = world.clock.now();
await world.stop();
for (const made of [
  ['population', '--users', '30'],
  ['posts', '--count', '30'],
]) {
  execFileSync(process.execPath, [resolve('bin/barker.js'), 'demo', ...made, '--data', folder], { stdio: 'ignore' });
}

const file = join(folder, 'barker.db');
const database = new DatabaseSync(file);
database.exec('pragma wal_checkpoint(truncate)');
database.exec('pragma journal_mode = delete');
database.exec('vacuum');
const rows: Record<string, number> = {};
const postgres = migrations.flatMap((step) => step.statements(schemaBuilder('postgres')));
postgres.unshift('create table schema_steps (name text primary key, applied_at text not null)');
for (const { name } of database.prepare("select name from sqlite_schema where type = 'table' order by name").all()) {
  const query = database.prepare(`select * from ${name}`);
  query.setReadBigInts(true);
  const found = query.all();
  rows[String(name)] = found.length;
  // Steps may have made rows of their own.
  postgres.push(`delete from ${name}`);
  for (const row of found) {
    const columns = Object.keys(row).map((column) => `"${column}"`);
    postgres.push(`insert into ${name} (${columns}) values (${Object.values(row).map(literal)})`);
  }
}
database.close();

function literal(value: unknown): string {
  if (value === null) return 'null';
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString('hex')}'`;
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}

/** What is made again is left out. */
const isKept = (path: string): boolean => /^(barker\.db|master\.key|dev\.json|(media|nonces)\/.*)$/.test(path);
const files: Record<string, string> = {};
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  const own = path.slice(folder.length + 1);
  if (entry.isFile() && isKept(own)) files[own] = readFileSync(path).toString('base64');
}
writeFixture(process.argv[2]!, {
  now,
  files,
  postgres,
  rows,
  calls: Object.fromEntries(calls),
  answers: Object.fromEntries(answers),
  media: Object.fromEntries(media),
});
await world.place.remove();
process.exit(0);
