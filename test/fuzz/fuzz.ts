import { readFileSync } from 'node:fs';
import { openPlace } from '../rig/databases.ts';
import { startPostgres } from '../rig/postgres.ts';
import { startBarker } from '../rig/process.ts';
import { worldBeside } from './beside.ts';
import { type Judge, openJudge } from './judge.ts';
import { type Plan, runCases } from './run-cases.ts';

/** A run, and what it runs on. */
export interface Fuzzing extends Plan {
  readonly database: 'sqlite' | 'postgres';
  readonly memory_bytes_max: number;
  /** Ends the run after so long, when it has not ended by itself. */
  readonly seconds_max?: number;
  say(line: string): void;
}

/** What came of a run. */
export interface Fuzzed {
  readonly isGood: boolean;
  readonly requests: number;
}

const LOOK_EVERY_MS = 5000;
const LOG_MS = 1000;
const FLAGS = ['--rate-limits', 'off', '--access-log', 'off', '--log-level', 'error'];
/** What limits how often somebody may do something would answer for everything else. */
const UNLIMITED = ['rate-page-views-per-15min', 'login-failures-per-address'].flatMap((name) => [
  `--${name}`,
  '1000000',
]);
/** Retries come soon, so that they come within a run. */
const SOON = ['--webhook-retry-schedule', '1,2'];

/** Starts a service in a process of its own, runs cases against it, and tells what came of them. */
export async function fuzz(plan: Fuzzing): Promise<Fuzzed> {
  const { say, seed } = plan;
  const server = plan.database === 'postgres' ? await ownPostgres() : undefined;
  // In memory: what is tried is the service, not the disk.
  const place = await openPlace(plan.database, { isInMemory: true });
  const log: string[] = [];
  const heard = (text: string): void => {
    log.push(text);
    if (log.length > 100) log.shift();
  };
  const running = await startBarker(place, { flags: [...FLAGS, ...UNLIMITED, ...SOON], heard });
  const world = await worldBeside(running, place);
  let isStopping = false;
  let crash: string | undefined;
  void running.gone.then((code) => {
    if (!isStopping) crash = `the service ended with ${code}:\n${log.join('')}`;
  });
  const judge = openJudge(({ number, kind, what, request }) => {
    say(
      `\nFOUND at ${number} (${kind}): ${what}\n  again: --seed ${seed} --from ${number} --requests 1${only(plan)}\n  ${request.slice(0, 6000)}`,
    );
    if (!/status 5/.test(what)) return;
    // The line of the log comes a moment after the reply.
    setTimeout(() => {
      const line = log.findLast((each) => /error/i.test(each));
      if (line) say(`  log of case ${number}: ${line.slice(0, 1500)}`);
    }, LOG_MS);
  });
  const memory = watchMemory(running.pid, plan, judge);
  const startedAt = performance.now();
  let firstAt: number | undefined;
  // What comes before the first request is not counted: on a busy machine it could take all the time there is.
  const isOver = (): boolean => {
    if (judge.requests > 0) firstAt ??= performance.now();
    const soFar_s = firstAt === undefined ? 0 : (performance.now() - firstAt) / 1000;
    return memory.isExceeded() || soFar_s > (plan.seconds_max ?? Number.POSITIVE_INFINITY);
  };
  say(`seed ${seed}, ${plan.database}, ${plan.requests} requests`);
  try {
    await runCases(plan, { world, running, judge, isOver });
  } finally {
    memory.end();
    isStopping = true;
    await world.close();
    if (crash === undefined) await running.stop();
    await place.remove();
    await server?.stop();
  }
  if (crash) say(crash);
  const seconds = (performance.now() - startedAt) / 1000;
  tell(judge, say);
  say(`${judge.requests} requests in ${seconds.toFixed(0)} s; resident memory in MB: ${memory.told()}`);
  const isGood = judge.findings.length === 0 && crash === undefined && !memory.isExceeded() && judge.requests > 0;
  say(isGood ? `nothing found (seed ${seed})` : `${judge.findings.length} findings (seed ${seed})`);
  return { isGood, requests: judge.requests };
}

function only(plan: Plan): string {
  return plan.only === undefined ? '' : ` --only ${plan.only}`;
}

/** The server of the tests, where there is one. */
async function ownPostgres(): Promise<{ stop(): Promise<void> } | undefined> {
  if (process.env.TEST_POSTGRES_URL) return undefined;
  const server = await startPostgres({ isHasty: true });
  process.env.TEST_POSTGRES_URL = server.url;
  return server;
}

function tell(judge: Judge, say: (line: string) => void): void {
  for (const [kind, counts] of judge.counts) {
    const all = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const parts = [...counts].sort(([a], [b]) => a.localeCompare(b)).map(([status, count]) => `${status}: ${count}`);
    say(`${kind.padEnd(9)} ${all} (${parts.join(', ')})`);
  }
}

interface MemoryWatch {
  isExceeded(): boolean;
  /** At the start, at most, and in the end; between them, along the way. */
  told(): string;
  end(): void;
}

/** Looks at the memory of the service every few seconds. */
function watchMemory(pid: number, { memory_bytes_max, say }: Fuzzing, judge: Judge): MemoryWatch {
  const seen: number[] = [];
  let isOver = false;
  let lookedAt = 0;
  const look = (): void => {
    let status: string;
    try {
      status = readFileSync(`/proc/${pid}/status`, 'utf8');
    } catch {
      return;
    }
    const bytes = Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) * 1024;
    seen.push(bytes);
    if (bytes > memory_bytes_max) isOver = true;
    if (seen.length % 12 === 0) {
      const rate = (judge.requests - lookedAt) / ((12 * LOOK_EVERY_MS) / 1000);
      lookedAt = judge.requests;
      say(`  ${judge.requests} requests, ${rate.toFixed(0)} a second, ${inMegabytes(bytes)} MB`);
    }
  };
  look();
  const timer = setInterval(look, LOOK_EVERY_MS);
  return {
    isExceeded: () => isOver,
    told() {
      const some = seen.filter((_, index) => index % Math.max(1, Math.ceil(seen.length / 12)) === 0).map(inMegabytes);
      const peak = inMegabytes(Math.max(...seen));
      return `${inMegabytes(seen[0]!)} at the start, ${peak} at most, ${inMegabytes(seen.at(-1)!)} in the end (${some.join(' ')})`;
    },
    end: () => clearInterval(timer),
  };
}

function inMegabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(0);
}
