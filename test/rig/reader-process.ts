import { readFileSync } from 'node:fs';
import { systemClock } from '../../src/base/clock.ts';
import { clientOf, type Keys } from './client.ts';

/** How long signed reads took, in milliseconds. */
export interface Times {
  readonly reads: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly max_ms: number;
  /** The same without the time that service and reader waited for a processor while others had it; where Linux tells. */
  readonly running_p99_ms: number;
}

/**
 * Signed reads, one after the other, for as long as nobody asks. Each message is answered with how long the reads took since
 * the last one.
 */
const { url, pid, keys }: { url: string; pid: number; keys: Keys } = JSON.parse(process.argv[2]!);
const client = clientOf(url, keys, systemClock);
let times: number[] = [];
let running: number[] = [];

/** How long the main threads of both were ready to run and did not. */
function waited_ms(): number {
  const of = (name: number | 'self') => {
    try {
      return Number(readFileSync(`/proc/${name}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
    } catch {
      return 0;
    }
  };
  return of(pid) + of('self');
}

process.on('message', () => {
  const quantiles = (all: number[]) => {
    const sorted = all.sort((a, b) => a - b);
    return (part: number) => sorted[Math.floor(sorted.length * part)] ?? Number.NaN;
  };
  const at = quantiles(times);
  const told: Times = {
    reads: times.length,
    p50_ms: at(0.5),
    p99_ms: at(0.99),
    max_ms: times.at(-1) ?? Number.NaN,
    running_p99_ms: quantiles(running)(0.99),
  };
  process.send!(told);
  times = [];
  running = [];
});
process.on('disconnect', () => process.exit());
for (;;) {
  const [at, waited] = [performance.now(), waited_ms()];
  const { status } = await client.call('GET', '/12/accounts');
  if (status !== 200) throw new Error(`a signed read answered ${status}`);
  const took = performance.now() - at;
  times.push(took);
  running.push(Math.max(0, took - (waited_ms() - waited)));
  await new Promise((resolve) => setTimeout(resolve, 5));
}
