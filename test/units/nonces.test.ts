import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { nonceMemory } from '../../src/auth/oauth1/nonces.ts';
import type { UsedNonce } from '../../src/contract/callers.ts';
import { openNonceLog } from '../../src/storage/nonce-log.ts';

const WINDOW = 300;
const NOW = 1_772_471_095;

const inMemory = () => {
  const entries: UsedNonce[] = [];
  const append = (entry: UsedNonce) => void entries.push(entry);
  return { append, written: async () => {}, read: () => entries, entries };
};

describe('nonces', () => {
  test('are good once per token and timestamp', () => {
    const nonces = nonceMemory(inMemory(), WINDOW, NOW);
    assert.equal(nonces.use('1', NOW, 'a', NOW), true);
    assert.equal(nonces.use('1', NOW, 'a', NOW), false);
    assert.equal(nonces.use('1', NOW, 'A', NOW), true);
    assert.equal(nonces.use('2', NOW, 'a', NOW), true);
    assert.equal(nonces.use('1', NOW + 1, 'a', NOW), true);
    assert.equal(nonces.use('1', NOW + 1, 'a', NOW), false);
  });

  test('a token and a nonce are not confused with others that join to the same text', () => {
    const nonces = nonceMemory(inMemory(), WINDOW, NOW);
    assert.equal(nonces.use('1', NOW, '23', NOW), true);
    assert.equal(nonces.use('12', NOW, '3', NOW), true);
  });

  test('are remembered while their timestamp could still be accepted, and forgotten then', () => {
    const nonces = nonceMemory(inMemory(), WINDOW, NOW);
    // Signed by a clock that is as far ahead as it may be.
    assert.equal(nonces.use('1', NOW + WINDOW, 'ahead', NOW), true);
    for (const later of [1, WINDOW, 2 * WINDOW]) {
      assert.equal(nonces.use('1', NOW + WINDOW, 'ahead', NOW + later), false, String(later));
    }
    nonces.use('1', NOW + 2 * WINDOW, 'b', NOW + 2 * WINDOW);
    assert.equal(nonces.size(), 2);
    nonces.use('1', NOW + 2 * WINDOW + 1, 'c', NOW + 2 * WINDOW + 1);
    assert.equal(nonces.size(), 2, 'the one whose window has passed is gone');
  });

  test('a second start knows those of the first', () => {
    const log = inMemory();
    nonceMemory(log, WINDOW, NOW).use('1', NOW, 'a', NOW);
    const again = nonceMemory(log, WINDOW, NOW + 10);
    assert.equal(again.use('1', NOW, 'a', NOW + 10), false);
    assert.equal(nonceMemory(log, WINDOW, NOW + WINDOW + 1).size(), 0);
  });

  test('a refused one is not written again', () => {
    const log = inMemory();
    const nonces = nonceMemory(log, WINDOW, NOW);
    nonces.use('1', NOW, 'a', NOW);
    nonces.use('1', NOW, 'a', NOW);
    assert.equal(log.entries.length, 1);
  });
});

describe('the log of nonces', () => {
  const folder = mkdtempSync(join(tmpdir(), 'barker-nonces-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const clock = { ms: NOW * 1000, now: () => clock.ms };

  test('gives back what was written, whoever opens it', () => {
    const log = openNonceLog(folder, WINDOW, clock);
    const entries = [
      { timestamp: NOW, tokenId: '1', nonce: 'a!~"' },
      { timestamp: NOW - 5, tokenId: '22', nonce: 'x'.repeat(255) },
    ];
    for (const entry of entries) log.append(entry);
    log.close();
    const again = openNonceLog(folder, WINDOW, clock);
    assert.deepEqual([...again.read()], entries);
    again.close();
  });

  test('a line that a power cut tore is passed over', () => {
    writeFileSync(join(folder, '999999999.log'), `${NOW} 7 whole\n${NOW} 8`);
    const log = openNonceLog(folder, WINDOW, clock);
    assert.ok([...log.read()].some((entry) => entry.nonce === 'whole'));
    assert.ok(![...log.read()].some((entry) => entry.tokenId === '8'));
    log.close();
    rmSync(join(folder, '999999999.log'));
  });

  test('what is appended is written when that is told, before the log is closed', async () => {
    const log = openNonceLog(folder, WINDOW, clock);
    const entries = ['p', 'q', 'r'].map((nonce) => ({ timestamp: NOW, tokenId: '3', nonce }));
    for (const entry of entries) log.append(entry);
    await log.written();
    const another = openNonceLog(folder, WINDOW, clock);
    assert.deepEqual([...another.read()].slice(-3), entries);
    another.close();
    log.close();
  });

  test('a log that cannot be written says so to those who wait', async () => {
    const gone = mkdtempSync(join(tmpdir(), 'barker-nonces-'));
    const log = openNonceLog(gone, WINDOW, clock);
    rmSync(gone, { recursive: true });
    log.append({ timestamp: NOW, tokenId: '1', nonce: 'lost' });
    await assert.rejects(log.written(), { code: 'ENOENT' });
  });

  test('files are deleted once nothing in them can matter', async () => {
    const log = openNonceLog(folder, WINDOW, clock);
    for (let step = 0; step < 6; step++) {
      log.append({ timestamp: Math.floor(clock.ms / 1000), tokenId: '1', nonce: `n${step}` });
      await log.written();
      const kept = [...log.read()].map((entry) => entry.timestamp);
      assert.ok(kept.includes(Math.floor(clock.ms / 1000)));
      clock.ms += 2 * WINDOW * 1000;
      assert.ok(readdirSync(folder).length <= 2);
    }
    log.close();
  });
});
