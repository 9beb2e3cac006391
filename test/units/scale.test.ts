import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { FIGURES, LIMITS, needsOf } from '../../build/docs/scale.ts';

const NOTHING = {
  ...{ accounts: 0, reads_per_s: 0, changes_per_s: 0, events_per_s: 0 },
  ...{ people: 0, identifiers: 0, posts: 0, media_bytes: 0 },
};
const [read_us] = FIGURES.read_node_us;
const [change_us] = FIGURES.change_postgres_us;

test('a service that does nothing has two servers of each kind', () => {
  const needs = needsOf(NOTHING);
  assert.deepEqual([needs.api_nodes, needs.stream_nodes, needs.worker_nodes], [2, 2, 2]);
  assert.equal(needs.postgres_bytes, 0);
});

test('processors follow from requests', () => {
  const needs = needsOf({ ...NOTHING, reads_per_s: 1e6, changes_per_s: 1e6 });
  assert.equal(needs.api_processors, read_us + FIGURES.change_node_us[0]);
  assert.equal(needs.postgres_processors, FIGURES.read_postgres_us[0] + change_us);
  assert.equal(needs.redis_processors, FIGURES.read_redis_us[0] + FIGURES.change_redis_us[0]);
  assert.equal(needs.api_nodes, Math.ceil(needs.api_processors / LIMITS.node_share));
});

test('bytes follow from what is stored, and for how long', () => {
  assert.equal(needsOf({ ...NOTHING, accounts: 1 }).postgres_bytes, 100 * (534 + 10 * 655));
  assert.equal(needsOf({ ...NOTHING, reads_per_s: 1 }).redis_bytes, 600 * 152);
  assert.equal(needsOf({ ...NOTHING, events_per_s: 1 }).postgres_bytes, 86_400 * 700);
  assert.equal(needsOf({ ...NOTHING, people: 9600 }).people_import_s, 1);
  assert.equal(needsOf({ ...NOTHING, media_bytes: 5, identifiers: 1 }).object_bytes, 5 + 28);
});

test('figures name benchmarks that exist', () => {
  const names = readFileSync('bench/run.ts', 'utf8');
  for (const [name, [, source]] of Object.entries(FIGURES)) {
    const [, bench] = /^`(\w+)`/.exec(source) ?? [];
    assert.ok(bench === undefined ? source.includes('operate.md') : names.includes(`'${bench}'`), name);
  }
});

test('what docs/scale.md says of limits follows from the figures', () => {
  const text = readFileSync('docs/scale.md', 'utf8');
  const small = { ...NOTHING, reads_per_s: 100, changes_per_s: 10, events_per_s: 10, people: 1e6, posts: 1e6 };
  const needs = needsOf(small);
  const timesUntil = (name: 'postgres_units_per_s' | 'events_per_s' | 'redis_processors', limit: number) =>
    limit / needs[name];
  const said = (pattern: RegExp): number => Number(pattern.exec(text)![1]!.replace(',', ''));
  const near = (actual: number, expected: number): void =>
    assert.ok(Math.abs(actual / expected - 1) < 0.1, `${actual} and ${expected}`);
  near(said(/about ([\d,]+) times \| units of work/), timesUntil('postgres_units_per_s', FIGURES.units_per_s[0]));
  near(said(/about ([\d,]+) times \| the sequencer/), timesUntil('events_per_s', FIGURES.units_per_s[0]));
  near(said(/about ([\d,]+) times \| Redis/), timesUntil('redis_processors', LIMITS.redis_processors));
  near(said(/about ([\d,]+) times \| audience estimates/), LIMITS.wait_s / needs.estimate_s);
  const stored = needsOf({ ...small, accounts: 1000, identifiers: 1e7 }).postgres_bytes;
  near(said(/about ([\d,]+) times \| PostgreSQL on disk/), LIMITS.postgres_bytes / stored);
});
