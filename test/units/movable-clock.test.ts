import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { ClockState } from '../../src/base/clock.ts';
import { formatInstant } from '../../src/base/instants.ts';
import type { PlannedJob } from '../../src/contract/store/jobs.ts';
import { type DeferredWork, openAdvancing } from '../../src/dev/clock/advance.ts';
import { readClockState, writeClockState } from '../../src/dev/clock/clock-file.ts';
import { movableClock, UNMOVED } from '../../src/dev/clock/movable-clock.ts';
import { parseDuration, parseTime } from '../../src/dev/clock/times.ts';
import { testClock } from '../rig/world.ts';

const START = Date.parse('2026-03-02T09:00:00Z');
const DAY_MS = 86_400_000;

/** A clock over one that stands still until it is moved. */
function clockFrom(state: ClockState = UNMOVED) {
  const wall = testClock('2026-03-02T09:00:00Z');
  const stored: ClockState[] = [];
  return { wall, stored, clock: movableClock(wall, state, (each) => stored.push(each)) };
}

describe('a movable clock', () => {
  test('shows the wall clock until it is moved, and then runs as fast', () => {
    const { wall, clock, stored } = clockFrom();
    wall.advance(5);
    assert.deepEqual([clock.now(), clock.isMoved(), stored], [START + 5000, false, []]);
    clock.moveTo(START + DAY_MS);
    wall.advance(5);
    assert.deepEqual([clock.now(), clock.isMoved()], [START + DAY_MS + 5000, true]);
  });

  test('stands still while it is frozen, and then runs on from there', () => {
    const { wall, clock } = clockFrom();
    clock.freeze();
    wall.advance(60);
    assert.deepEqual([clock.now(), clock.mode, clock.offset_ms()], [START, 'frozen', -60_000]);
    clock.moveTo(START + 1000);
    assert.equal(clock.now(), START + 1000);
    clock.run();
    wall.advance(1);
    assert.deepEqual([clock.now(), clock.mode], [START + 2000, 'running']);
  });

  test('never goes back', () => {
    const { clock } = clockFrom();
    assert.throws(() => clock.moveTo(START - 1), { name: 'RangeError' });
    assert.equal(clock.now(), START);
  });

  test('stands still while it is held, whatever its mode', () => {
    const { wall, clock } = clockFrom();
    const release = clock.hold();
    wall.advance(60);
    clock.moveTo(START + DAY_MS);
    wall.advance(60);
    assert.deepEqual([clock.now(), clock.mode], [START + DAY_MS, 'running']);
    release();
    wall.advance(1);
    assert.equal(clock.now(), START + DAY_MS + 1000);
  });

  test('stores each state before it shows it', () => {
    const wall = testClock('2026-03-02T09:00:00Z');
    const shown: number[] = [];
    const clock = movableClock(wall, UNMOVED, () => shown.push(clock.now()));
    clock.moveTo(START + DAY_MS);
    assert.deepEqual(shown, [START]);
  });

  const folder = mkdtempSync(join(tmpdir(), 'barker-clock-'));
  after(() => rmSync(folder, { recursive: true }));
  test('is found again in its file', () => {
    assert.equal(readClockState(folder), UNMOVED);
    for (const state of [
      { mode: 'frozen', now_ms: START + 1 },
      { mode: 'running', offset_ms: -5 },
    ] as const) {
      writeClockState(folder, state);
      assert.deepEqual(readClockState(folder), state);
    }
    for (const damaged of ['', '{}', '{"mode":"frozen"}', 'null']) {
      writeFileSync(join(folder, 'clock.json'), damaged);
      assert.throws(() => readClockState(folder), /clock\.json does not have the state of a clock/);
    }
  });
});

describe('durations', () => {
  for (const [text, ms] of [
    ['P7D', 7 * DAY_MS],
    ['P2W', 14 * DAY_MS],
    ['PT30M', 1_800_000],
    ['P1DT2H', DAY_MS + 7_200_000],
    ['P1DT2H3M4S', DAY_MS + 7_384_000],
    ['PT0S', 0],
    ['PT90M', 5_400_000],
  ] as const) {
    test(`${text} is read`, () => assert.equal(parseDuration(text), ms));
  }
  for (const text of ['P', 'PT', 'P1DT', '7D', 'P1M', 'P1Y', 'P1.5D', '-P1D', 'P1W2D', 'PT1H30', 'p1d', 'PT2M1H', '']) {
    test(`${JSON.stringify(text)} is refused`, () => assert.equal(parseDuration(text), undefined));
  }
});

describe('times', () => {
  test('are read with seconds or milliseconds', () => {
    assert.equal(parseTime('2026-03-02T09:00:00Z'), START);
    assert.equal(parseTime('2026-03-02T09:00:00.25Z'), START + 250);
  });
  for (const text of ['2026-03-02', '2026-03-02T09:00Z', '2026-03-02T09:00:00+01:00', '2026-02-30T09:00:00Z', '']) {
    test(`${JSON.stringify(text)} is refused`, () => assert.equal(parseTime(text), undefined));
  }
});

/** Work that is planned in memory; `log` has what was done, with what the clock showed. */
function workOn(clock: { now(): number }, planned: (PlannedJob & { every_s?: number })[]) {
  const log: string[] = [];
  let holds = 0;
  const first = (which: 'housekeeping' | 'others'): (PlannedJob & { every_s?: number }) | undefined =>
    planned
      .filter(({ kind }) => (kind === 'cleaning') === (which === 'housekeeping'))
      .toSorted((one, other) => one.run_at.localeCompare(other.run_at))[0];
  const work: DeferredWork = {
    async hold() {
      holds += 1;
      return () => {
        holds -= 1;
      };
    },
    findNext: async (which) => first(which),
    async runFirst(which) {
      const job = first(which)!;
      planned.splice(planned.indexOf(job), 1);
      log.push(`${formatInstant(clock.now())} ${job.kind}`);
      if (job.every_s !== undefined) {
        planned.push({ ...job, run_at: formatInstant(clock.now() + job.every_s * 1000) });
      }
      return job;
    },
    async settle(signal) {
      signal.throwIfAborted();
      log.push('settled');
    },
  };
  return { work, log, holds: () => holds };
}

const at = (seconds: number): string => formatInstant(START + seconds * 1000);

describe('advancing', () => {
  test('stops at everything that is due on the way, and settles it there', async () => {
    const { clock } = clockFrom();
    const { work, log, holds } = workOn(clock, [
      { kind: 'later', key: '', run_at: at(7200) },
      { kind: 'hourly', key: '', run_at: at(1800), every_s: 3600 },
      { kind: 'overdue', key: '', run_at: at(-60) },
      { kind: 'beyond', key: '', run_at: at(9001) },
    ]);
    const advancing = openAdvancing(clock, work);
    await advancing.to(START + 9_000_000);
    assert.deepEqual(
      log.filter((line) => line !== 'settled'),
      [`${at(0)} overdue`, `${at(1800)} hourly`, `${at(5400)} hourly`, `${at(7200)} later`, `${at(9000)} hourly`],
    );
    assert.deepEqual(log.indexOf('settled'), 0);
    assert.equal(log.at(-1), 'settled');
    assert.deepEqual([clock.now(), clock.mode, holds()], [START + 9_000_000, 'running', 0]);
    assert.deepEqual(advancing.progress(), { status: 'ready', until_ms: undefined, stepsDone: 5, failure: undefined });
  });

  test('cleans at the end of each day, and of the way', async () => {
    const { clock } = clockFrom();
    const { work, log } = workOn(clock, [
      { kind: 'cleaning', key: '', run_at: at(-60), every_s: 600 },
      { kind: 'later', key: '', run_at: at(7200) },
    ]);
    await openAdvancing(clock, work).to(START + DAY_MS + 60_000);
    assert.deepEqual(
      log.filter((line) => line !== 'settled'),
      [`${at(7200)} later`, '2026-03-03T00:00:00Z cleaning', `${at(86_460)} cleaning`],
    );
  });

  test('names the kind of a job that comes up for ever', async () => {
    const { clock } = clockFrom();
    const { work, holds } = workOn(clock, [
      { kind: 'once', key: '', run_at: at(0) },
      { kind: 'endless', key: '', run_at: at(1), every_s: 0 },
    ]);
    const advancing = openAdvancing(clock, work, { steps_max: 10, duration_ms_max: 600_000 });
    await advancing.to(START + DAY_MS);
    const { status, failure } = advancing.progress();
    assert.equal(status, 'failed');
    assert.match(failure!, /^10 jobs are done .* 2026-03-02T09:00:01\.000Z; most were of the kind endless \(9\)$/);
    assert.deepEqual([clock.now(), holds()], [START + 1000, 0]);
  });

  test('gives up after a time, and names the kind of most jobs', async () => {
    const { clock } = clockFrom();
    const { work } = workOn(clock, [{ kind: 'slow', key: '', run_at: at(1) }]);
    const settle = (signal: AbortSignal): Promise<void> =>
      new Promise((resolve, reject) => {
        if (clock.now() === START) resolve();
        else signal.addEventListener('abort', () => reject(signal.reason));
      });
    const advancing = openAdvancing(clock, { ...work, settle }, { steps_max: 10, duration_ms_max: 20 });
    await advancing.to(START + DAY_MS);
    assert.match(advancing.progress().failure!, /^1 jobs have taken 0\.02 s, .* slow \(1\)$/);
  });

  test('reports what failed, and can be tried again', async () => {
    const { clock } = clockFrom();
    const { work } = workOn(clock, [{ kind: 'one', key: '', run_at: at(1) }]);
    let isBroken = true;
    const runFirst: DeferredWork['runFirst'] = async (which) => {
      if (isBroken) throw new Error('the database is away');
      return work.runFirst(which);
    };
    const advancing = openAdvancing(clock, { ...work, runFirst });
    await advancing.to(START + DAY_MS);
    assert.deepEqual([advancing.progress().status, advancing.progress().failure], ['failed', 'the database is away']);
    isBroken = false;
    await advancing.to(START + DAY_MS);
    assert.deepEqual([advancing.progress().status, clock.now()], ['ready', START + DAY_MS]);
  });
});
