import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { DevFile } from '../../src/cli/dev.ts';
import type { Settings } from '../../src/settings.ts';
import { said } from './load.ts';

/** A server in a process of its own. */
export interface Target {
  readonly file: DevFile;
  readonly folder: string;
  /** Resident memory in bytes. */
  memory(): number;
  /** The most that it ever was, in bytes: what `/usr/bin/time -v` calls the maximum resident set size. */
  memoryPeak(): number;
  /** Processor time used so far, user and system, in seconds. */
  cpu_s(): number;
  readonly pid: number;
  close(): Promise<void>;
  /** Ends the process as a power cut would; keeps its folder. */
  kill(): Promise<void>;
}

/** What the service unit and the image set. */
const DEPLOYED_ENVIRONMENT = { MALLOC_ARENA_MAX: '2' };

/** How a target is started. */
export interface TargetOptions extends TargetSeams {
  readonly databaseUrl?: string | undefined;
  readonly redisUrl?: string;
  /** The folder of objects that nodes share. */
  readonly objects?: string;
  readonly folder?: string;
  /** The folder of another node of the same database. */
  readonly beside?: string;
  readonly profile?: boolean;
  /** Where delivery in the sandbox comes from. */
  readonly delivery?: 'served';
  /** People of the demo world; 5000 if omitted. */
  readonly people?: number;
  /** Memory of the post index, in bytes. */
  readonly keywordMemory?: number | undefined;
  /** An alias file. */
  readonly aliases?: string;
  readonly accessLog?: 'off';
  /** Keeps the last requests for developers; other measurements do not. */
  readonly recordsRequests?: boolean;
}

/** Starts the program in development mode with limits off, on a new folder or a given one. */
export async function startBarker(options: TargetOptions = {}): Promise<Target> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'barker-bench-'));
  if (options.beside) {
    mkdirSync(folder, { recursive: true });
    for (const file of ['dev.json', 'master.key', 'operator.token']) {
      copyFileSync(join(options.beside, file), join(folder, file));
    }
  }
  const flags = options.profile ? ['--cpu-prof', '--cpu-prof-dir', folder] : [];
  const isSpecial = Object.keys(options).some((name) => SEAMS.has(name));
  const { child, file } = await (isSpecial ? startSpecial : startProgram)({ ...options, folder }, flags);
  return {
    file,
    folder,
    memory: () => residentBytes(child.pid!, 'VmRSS'),
    memoryPeak: () => residentBytes(child.pid!, 'VmHWM'),
    cpu_s: () => cpuSeconds(child.pid!),
    pid: child.pid!,
    async kill() {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
    async close() {
      if (child.stdin) child.stdin.end();
      else child.send('stop');
      await once(child, 'exit');
      if (!options.folder && !options.profile) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Resident memory of a process in bytes: that of now, or the most that it ever was. */
export function residentBytes(pid: number, which: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${which}:\\s+(\\d+)`).exec(status)![1]) * 1024;
}

interface Started {
  readonly child: ChildProcess;
  readonly file: DevFile;
}

/** Starts what is deployed, which ends with its input. */
async function startProgram(options: Placed, flags: readonly string[]): Promise<Started> {
  const settings = Object.entries(settingsOf(options)).filter(([, value]) => value !== undefined);
  const args = [...flags, 'bin/barker.js', 'dev', '--ephemeral', ...(options.recordsRequests ? [] : ['--no-requests'])];
  const child = spawn(process.execPath, args, {
    env: {
      PATH: process.env.PATH,
      ...DEPLOYED_ENVIRONMENT,
      ...Object.fromEntries(settings.map(([name, value]) => [`BARKER_${name.toUpperCase()}`, String(value)])),
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout }))
    return { child, file: JSON.parse(line) as DevFile };
  throw new Error('the server did not start');
}

/** Starts what only measurements start. */
async function startSpecial(options: Placed, execArgv: string[]): Promise<Started> {
  const plan = JSON.stringify({ ...options, settings: settingsOf(options) });
  const child = fork(new URL('./target-process.ts', import.meta.url), [plan], {
    execArgv,
    env: { ...process.env, ...DEPLOYED_ENVIRONMENT },
  });
  return { child, file: (await said(child)) as DevFile };
}

type Placed = TargetOptions & { readonly folder: string };

function settingsOf(options: Placed): { readonly [K in keyof Settings]?: Settings[K] | undefined } {
  return {
    data_folder: options.folder,
    database_url: options.databaseUrl,
    redis_url: options.redisUrl,
    object_store: options.objects,
    port: 0,
    sandbox_port: 0,
    // What is the default where no program starts the server.
    sample_people: options.people ?? 5000,
    rate_limits: 'off',
    access_log: options.accessLog,
    aliases: options.aliases,
    delivery_sandbox: options.delivery,
    keyword_memory_bytes_max: options.keywordMemory,
    active_campaigns_max: 8000,
    application_stream_connections_max: 10_000,
    application_stream_events_per_s: 1_000_000,
    stream_waiting_events_max: 1_000_000,
    stream_waiting_bytes_max: 1_000_000_000,
    stream_behind_max_s: 3600,
  };
}

/** What only measurements switch off. What they compare that with is named too, and started the same way. */
export interface TargetSeams {
  readonly fence?: 'on' | 'off';
  readonly isSynced?: boolean;
  readonly groupCommit?: boolean;
}

const SEAMS: ReadonlySet<string> = new Set<keyof TargetSeams>(['fence', 'isSynced', 'groupCommit']);

/** A bare web server that answers every GET of a campaign with these bytes. */
export function startBare(body: string): Promise<Other> {
  return startOther('./bare-process.ts', [body]);
}

/** The provider library, with one client. */
export function startProvider(clientId: string, clientSecret: string): Promise<Other> {
  return startOther('./provider-process.ts', [clientId, clientSecret]);
}

/** A bare web server that writes what is posted to it into files of a folder. */
export function startReceiver(folder: string): Promise<Other> {
  return startOther('./receiver-process.ts', [folder]);
}

/** A bare web server that writes what is posted to it to every reader of a stream. */
export function startBareStream(): Promise<Other> {
  return startOther('./bare-stream-process.ts', []);
}

/** A server that is not ours. */
export interface Other {
  readonly origin: string;
  cpu_s(): number;
  close(): Promise<void>;
}

async function startOther(program: string, args: string[]): Promise<Other> {
  const child = fork(new URL(program, import.meta.url), args);
  const origin = (await said(child)) as string;
  return {
    origin,
    cpu_s: () => cpuSeconds(child.pid!),
    async close() {
      child.send('stop');
      await once(child, 'exit');
    },
  };
}

/** Processor time of a process and of all that it started, in seconds. */
export function familySeconds(pid: number): number {
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === pid);
  // What a child has used that has ended counts for the process that started it.
  return (
    children.reduce((sum, each) => sum + (ticksOf(each, [11, 12]) ?? 0), ticksOf(pid, [11, 12, 13, 14]) ?? 0) / 100
  );
}

function parentOf(pid: string): number | undefined {
  return ticksOf(pid, [1]);
}

/** Processor time of a process that runs, in seconds. */
export function cpuSeconds(pid: number): number {
  return ticksOf(pid, [11, 12])! / 100;
}

/**
 * The sum of some fields of the state of a process, counted from its third one: 11 and 12 are ticks of a hundredth of a
 * second, 13 and 14 those of its children that have ended. Undefined if it has ended itself.
 */
function ticksOf(pid: string | number, fields: readonly number[]): number | undefined {
  try {
    const all = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return fields.reduce((sum, each) => sum + Number(all[each]), 0);
  } catch {
    return undefined;
  }
}
