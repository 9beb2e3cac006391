import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Problem } from '../../src/contract/problems/problems.ts';
import { type NonceLog, nonceDigest, type UsedNonce } from '../../src/contract/store/nonces.ts';
import { NonceFiles } from '../../src/storage/core/nonce-log.ts';

const WINDOW = 300;
const NOW = 1_772_471_095;

const used = (nonce: string, timestamp = NOW): UsedNonce => ({ timestamp, digest: nonceDigest('1', timestamp, nonce) });

describe('the log of nonces', () => {
  let folder: string;
  let clock: { ms: number; now(): number };
  let since: { ms: number; elapsed(): number };
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'barker-nonces-'));
    const present = { ms: NOW * 1000, now: () => present.ms };
    const past = { ms: 0, elapsed: () => past.ms };
    clock = present;
    since = past;
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const opened = (write?: (file: number, bytes: Uint8Array) => number): NonceLog & { close(): void } =>
    new NonceFiles(folder, WINDOW, { clock, elapsed: since.elapsed, ...(write && { write }) });
  const stored = (): UsedNonce[] => {
    const log = opened();
    const entries = [...log.read()];
    log.close();
    return entries;
  };

  test('returns what was written, after reopening too', () => {
    const log = opened();
    const entries = [used('a!~"'), used('x'.repeat(255), NOW - 5)];
    for (const entry of entries) void log.append(entry, 'read');
    log.close();
    assert.deepEqual(stored(), entries);
  });

  test('reads what earlier versions wrote', () => {
    writeFileSync(join(folder, '999999999.log'), `\n${NOW} 1 a!~"\n${NOW} 1 b\n`);
    assert.deepEqual(stored(), [used('a!~"'), used('b')]);
  });

  test('a line torn by a power failure is skipped, and truncated before the next', async () => {
    const stretch = Math.floor(NOW / (2 * WINDOW));
    const whole = used('whole');
    writeFileSync(join(folder, `${stretch}.log`), `${NOW} ${whole.digest}\n${NOW} ${used('torn').digest.slice(0, 9)}`);
    const log = opened();
    assert.deepEqual([...log.read()], [whole]);
    await log.append(used('next'), 'read');
    log.close();
    assert.deepEqual(stored(), [whole, used('next')]);
  });

  test('an acknowledged line is written, also when the log is closed', async () => {
    const log = opened();
    const entries = ['p', 'q', 'r'].map((nonce) => used(nonce));
    await Promise.all(entries.map((entry) => log.append(entry, 'read')));
    assert.deepEqual(stored(), entries);
    log.close();
  });

  test('partial writes are completed', async () => {
    const log = opened((file, bytes) => writeSync(file, bytes.subarray(0, 7)));
    await log.append(used('a'), 'read');
    log.close();
    assert.deepEqual(stored(), [used('a')]);
  });

  test('a partial write on a full disk is refused and truncated, and later lines are intact', async () => {
    let room = 80;
    const log = opened((file, bytes) => {
      if (room === 0) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
      const taken = writeSync(file, bytes.subarray(0, room));
      room -= taken;
      return taken;
    });
    await log.append(used('fits'), 'read');
    const refused = ['b', 'c'].map((nonce) => log.append(used(nonce), 'read'));
    for (const each of refused) {
      await assert.rejects(each, (error) => error instanceof Problem && error.retryAfter_s === 1);
    }
    assert.deepEqual(stored(), [used('fits')]);
    room = 1000;
    await log.append(used('after'), 'read');
    log.close();
    assert.deepEqual(stored(), [used('fits'), used('after')]);
  });

  test('a removed folder is created again', async () => {
    const log = opened();
    await log.append(used('a'), 'read');
    rmSync(folder, { recursive: true });
    clock.ms += 2 * WINDOW * 1000;
    await log.append(used('b'), 'read');
    log.close();
    assert.deepEqual(stored(), [used('b')]);
  });

  test('files are deleted once all their nonces have expired', async () => {
    const log = opened();
    for (let step = 0; step < 6; step++) {
      await log.append(used(`n${step}`, Math.floor(clock.ms / 1000)), 'read');
      const kept = [...log.read()].map((entry) => entry.timestamp);
      assert.ok(kept.includes(Math.floor(clock.ms / 1000)), 'read');
      clock.ms += 2 * WINDOW * 1000;
      since.ms += 2 * WINDOW * 1000;
      assert.ok(readdirSync(folder).filter((name) => name.endsWith('.log')).length <= 2);
    }
    log.close();
  });

  test('a clock that jumps ahead deletes nothing written within a window', async () => {
    const log = opened();
    await log.append(used('a'), 'read');
    clock.ms += 7_200_000;
    await log.append(used('b', NOW + 7200), 'read');
    assert.deepEqual([...log.read()], [used('a'), used('b', NOW + 7200)]);
    assert.equal(log.forgottenUntil(), 0);
    log.close();
  });

  test('knows up to which second it has forgotten, also after a restart', async () => {
    const log = opened();
    await log.append(used('a'), 'read');
    clock.ms += 7_200_000;
    since.ms += WINDOW * 1000;
    await log.append(used('b', NOW + 7200), 'read');
    assert.deepEqual([...log.read()], [used('b', NOW + 7200)]);
    assert.equal(log.forgottenUntil(), NOW);
    log.close();
    const again = opened();
    assert.equal(again.forgottenUntil(), NOW);
    again.close();
    assert.equal(readFileSync(join(folder, 'forgotten-until'), 'utf8'), `${NOW}\n`);
  });
});
