import { fork } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { waitForShutdown } from '../../src/cli/shutdown.ts';

const HELP = `npm run cluster [-- --nodes 2] [--port 0] [--sandbox-port 0]

Starts servers that share PostgreSQL, Redis and an object store behind a balancer, from nothing, until Ctrl-C.
  --nodes         how many servers answer calls, beside a worker (2)
  --port          the port of the balancer for production; 0 takes any free one (0)
  --sandbox-port  the same for the sandbox (0)
`;
/** PostgreSQL allows a hundred connections. */
const NODES_MAX = 8;
/** How long all parts together may take to end. */
const STOP_S = 40;

function numberOf(name: string, text: string, [least, greatest]: readonly [number, number]): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isInteger(value) && value >= least && value <= greatest) return value;
  throw new Error(`--${name}: expected an integer from ${least} to ${greatest}, got "${text}"`);
}

function optionsOf(args: readonly string[]) {
  const { values } = parseArgs({
    args: [...args],
    options: {
      nodes: { type: 'string', default: '2' },
      port: { type: 'string', default: '0' },
      'sandbox-port': { type: 'string', default: '0' },
      help: { type: 'boolean', default: false },
    },
  });
  return {
    help: values.help,
    nodes: numberOf('nodes', values.nodes, [1, NODES_MAX]),
    port: numberOf('port', values.port, [0, 65_535]),
    sandboxPort: numberOf('sandbox-port', values['sandbox-port'], [0, 65_535]),
  };
}

/** Runs a cluster until a signal; resolves with the exit code. */
async function main(): Promise<number> {
  const { help, ...plan } = optionsOf(process.argv.slice(2));
  if (help) {
    process.stdout.write(HELP);
    return 0;
  }
  const folder = mkdtempSync(join(tmpdir(), 'barker-cluster-'));
  // PostgreSQL runs as a user of its own when this is run by root. The folders of servers are closed to it.
  chmodSync(folder, 0o711);
  const keeper = fork(new URL('./keeper.ts', import.meta.url), [JSON.stringify({ ...plan, folder })], {
    detached: true,
    env: { ...process.env, TMPDIR: folder },
  });
  const ended = new Promise<number>((resolve) => {
    keeper.on('error', () => resolve(1));
    keeper.on('exit', (code) => resolve(code ?? 1));
  });
  // Whatever is still there then has not ended by itself: the keeper leads the group of all parts.
  process.on('exit', () => {
    try {
      process.kill(-keeper.pid!, 'SIGKILL');
    } catch {
      // Nothing is left.
    }
    rmSync(folder, { recursive: true, force: true });
  });
  let isStopping = false;
  const stopped = waitForShutdown({
    async close() {
      isStopping = true;
      if (keeper.connected) keeper.send('stop');
      if ((await ended) !== 0) throw new Error('not every part ended by itself');
      return 0;
    },
    timeout_s: STOP_S,
    stopsWithParent: process.env.npm_lifecycle_event !== undefined,
    log: (message) => void process.stderr.write(`${message}\n`),
  });
  return Promise.race([stopped, ended.then((code) => (isStopping ? stopped : code || 1))]);
}

process.exit(
  await main().catch((error: Error) => {
    process.stderr.write(`${error.message}\n`);
    return 2;
  }),
);
