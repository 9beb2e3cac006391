import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { barker, cleanEnvironment, ENTRY, flagsOf, MASTER_KEY, toldBy } from '../commands/program.ts';
import type { Keys } from '../rig/client.ts';
import type { Place } from '../rig/databases.ts';
import { freePorts } from '../rig/ports.ts';

/** What all commands on a site are given. */
export const env = { BARKER_MASTER_KEY: MASTER_KEY };

/** A place to run `barker serve` on again and again, at the same addresses. */
export interface Site {
  readonly place: Place;
  /** The folder of objects, when it is not that of the place. */
  readonly objects?: string;
  readonly keys: Keys;
  /** The user of the keys. */
  readonly user_id: string;
  /** The origin of production. */
  readonly production: string;
  /** The origin of the sandbox, where callers may open accounts. */
  readonly sandbox: string;
  /** Where probes answer. */
  readonly operations: string;
  /** The entry of another version than this one. */
  readonly entry?: string;
  /** What `barker serve` is given beside the place. */
  readonly flags: readonly string[];
  /** Variables that it is started with. */
  readonly env: Readonly<Record<string, string>>;
}

/** `barker serve` in a process of its own. */
export interface Serving {
  readonly pid: number;
  /** The exit code once it has ended; undefined before, null when a signal ended it. */
  exitCode(): number | null | undefined;
  kill(): Promise<void>;
  /** Asks it to stop; resolves with the exit code. */
  stop(): Promise<number | null>;
  /** What it wrote to standard error, and its last log lines. */
  output(): string;
}

/** Makes a schema, a user, an application and a token by the commands that operators use. */
export async function openSite(place: Place, flags: readonly string[] = []): Promise<Site> {
  const run = async (args: readonly string[], input?: string) =>
    toldBy(await barker([...args, ...flagsOf(place)], { env, ...(input && { input }) }));
  const migrated = await barker(['migrate', ...flagsOf(place)], { env });
  if (migrated.code !== 0) throw new Error(migrated.stderr);
  const user = await run(['user', 'create', 'ada'], 'a horse that counts its staples\n');
  const website = ['--website', 'https://a.test', '--callback', 'https://a.test/back'];
  const app = await run(['app', 'create', 'Proofs', '--owner', 'ada', '--level', 'read-write', ...website]);
  const token = await run(['token', 'create', '--app', app.consumer_key!, '--user', 'ada']);
  const [port, sandboxPort, operationsPort] = await freePorts(3);
  return {
    place,
    env,
    keys: { ...app, ...token } as unknown as Keys,
    user_id: user.user_id!,
    production: `http://127.0.0.1:${port}`,
    sandbox: `http://127.0.0.1:${sandboxPort}`,
    operations: `http://127.0.0.1:${operationsPort}`,
    flags: [
      ...['--port', String(port), '--sandbox-port', String(sandboxPort), '--operations-port', String(operationsPort)],
      ...['--allow-insecure-loopback', 'true', '--rate-limits', 'off', '--shutdown-grace-s', '0'],
      ...['--audience-size-min', '1', '--audience-processing-delay-sandbox-s', '0', ...flags],
    ],
  };
}

/** Starts `barker serve` and waits until it is ready; `hear` is told each line that it writes, and when it has ended. */
export async function serve(
  { entry = ENTRY, flags, place, env }: Site,
  hear: (line: string | undefined) => void = () => {},
): Promise<Serving> {
  const child = spawn(process.execPath, [entry, 'serve', ...flagsOf(place), ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...cleanEnvironment(), ...env, NODE_COMPILE_CACHE: join(place.folder, '..', 'barker-proofs-compiled') },
  });
  let output = '';
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout!, child.stderr!]) {
      createInterface(stream).on('line', hear);
      stream.on('data', (chunk) => {
        output = (output + String(chunk)).slice(-20_000);
        if (output.includes('"message":"ready"')) resolve();
      });
    }
    child.on('exit', (code) => reject(new Error(`barker serve ended with ${code}:\n${output}`)));
  });
  let exitCode: number | null | undefined;
  const gone = new Promise<number | null>((resolve) => {
    child.on('exit', (code) => {
      exitCode = code;
      hear(undefined);
      resolve(code);
    });
  });
  await ready;
  return {
    pid: child.pid!,
    exitCode: () => exitCode,
    kill: async () => void (await end(child, gone, 'SIGKILL')),
    stop: () => end(child, gone, 'SIGTERM'),
    output: () => output,
  };
}

function end(child: ChildProcess, gone: Promise<number | null>, signal: 'SIGKILL' | 'SIGTERM') {
  child.kill(signal);
  return gone;
}
