import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type NonceLog, nonceDigest, type UsedNonce } from '../../src/contract/store/nonces.ts';
import { inMemoryNonces } from '../../src/features/auth/oauth1/nonces.ts';

const WINDOW = 300;
const NOW = 1_772_471_095;

const inMemory = (): NonceLog & { readonly entries: UsedNonce[] } => {
  const entries: UsedNonce[] = [];
  return {
    entries,
    async append(entry) {
      entries.push(entry);
      return true;
    },
    read: () => entries,
    forgottenUntil: () => 0,
  };
};

/** A clock that never jumps, in seconds. */
function elapsing() {
  const since = { s: 0, elapsed: () => since.s * 1000 };
  return since;
}

type Memory = ReturnType<typeof inMemoryNonces>;

function isGood(nonces: Memory, tokenId: string, timestamp: number, nonce: string, now: number): boolean {
  try {
    void nonces.use(tokenId, timestamp, nonce, now).commit('read');
    return true;
  } catch {
    return false;
  }
}

describe('nonces', () => {
  test('are accepted once per token and timestamp', () => {
    const nonces = inMemoryNonces(inMemory(), WINDOW);
    assert.equal(isGood(nonces, '1', NOW, 'a', NOW), true);
    assert.equal(isGood(nonces, '1', NOW, 'a', NOW), false);
    assert.equal(isGood(nonces, '1', NOW, 'A', NOW), true);
    assert.equal(isGood(nonces, '2', NOW, 'a', NOW), true);
    assert.equal(isGood(nonces, '1', NOW + 1, 'a', NOW), true);
    assert.equal(isGood(nonces, '1', NOW + 1, 'a', NOW), false);
  });

  test('a token and a nonce are not confused with others that concatenate to the same text', () => {
    const nonces = inMemoryNonces(inMemory(), WINDOW);
    assert.equal(isGood(nonces, '1', NOW, '23', NOW), true);
    assert.equal(isGood(nonces, '12', NOW, '3', NOW), true);
  });

  test('are kept while their timestamp could be accepted, and dropped then', () => {
    const since = elapsing();
    const nonces = inMemoryNonces(inMemory(), WINDOW, since);
    // Signed by a clock that is as far ahead as it may be.
    assert.equal(isGood(nonces, '1', NOW + WINDOW, 'ahead', NOW), true);
    for (const later of [1, WINDOW, 2 * WINDOW]) {
      since.s = later;
      assert.equal(isGood(nonces, '1', NOW + WINDOW, 'ahead', NOW + later), false, String(later));
    }
    isGood(nonces, '1', NOW + 2 * WINDOW, 'b', NOW + 2 * WINDOW);
    assert.equal(nonces.size(), 2);
    since.s += 1;
    isGood(nonces, '1', NOW + 2 * WINDOW + 1, 'c', NOW + 2 * WINDOW + 1);
    assert.equal(nonces.size(), 2, 'the one whose window has passed is gone');
  });

  test('a clock that jumps ahead and is set back makes none valid again', () => {
    const since = elapsing();
    const nonces = inMemoryNonces(inMemory(), WINDOW, since);
    assert.equal(isGood(nonces, '1', NOW, 'a', NOW), true);
    for (const ahead of [3600, 7200]) {
      since.s += 2;
      assert.equal(isGood(nonces, '1', NOW + ahead, `b${ahead}`, NOW + ahead), true);
    }
    since.s += 2;
    assert.equal(isGood(nonces, '1', NOW, 'a', NOW + 6), false);
    assert.equal(isGood(nonces, '1', NOW + 6, 'fresh', NOW + 6), true, 'what is new is as good as ever');
  });

  test('a clock that was wrong for long makes none valid again, and accepts none of forgotten seconds', () => {
    const since = elapsing();
    const nonces = inMemoryNonces(inMemory(), WINDOW, since);
    const wrong = NOW + 3600;
    assert.equal(isGood(nonces, '1', wrong, 'a', wrong), true);
    since.s += WINDOW + 1;
    assert.equal(isGood(nonces, '1', wrong + WINDOW + 1, 'b', wrong + WINDOW + 1), true);
    assert.equal(nonces.size(), 1);
    assert.equal(isGood(nonces, '1', wrong, 'a', wrong), false);
    assert.equal(isGood(nonces, '1', wrong, 'never seen', wrong), false);
  });

  test('after the clock is set back, nonces expire as before', () => {
    const since = elapsing();
    const nonces = inMemoryNonces(inMemory(), WINDOW, since);
    isGood(nonces, '1', NOW, 'a', NOW);
    const back = NOW - 3600;
    for (let second = 0; second < 3 * WINDOW; second++) {
      since.s += 1;
      isGood(nonces, '1', back + second, 'b', back + second);
    }
    assert.equal(nonces.size(), 1 + WINDOW + 1);
  });

  test('a restart keeps those of before', () => {
    const log = inMemory();
    const since = elapsing();
    isGood(inMemoryNonces(log, WINDOW, since), '1', NOW, 'a', NOW);
    const again = inMemoryNonces(log, WINDOW, since);
    assert.equal(isGood(again, '1', NOW, 'a', NOW + 10), false);
    since.s += WINDOW;
    isGood(again, '1', NOW + WINDOW + 1, 'b', NOW + WINDOW + 1);
    assert.equal(again.size(), 1);
  });

  test('what a log has forgotten is refused', () => {
    const nonces = inMemoryNonces({ ...inMemory(), forgottenUntil: () => NOW }, WINDOW);
    assert.equal(isGood(nonces, '1', NOW, 'a', NOW), false);
    assert.equal(isGood(nonces, '1', NOW + 1, 'a', NOW), true);
  });

  test('a refused one is not written again', () => {
    const log = inMemory();
    const nonces = inMemoryNonces(log, WINDOW);
    isGood(nonces, '1', NOW, 'a', NOW);
    isGood(nonces, '1', NOW, 'a', NOW);
    assert.equal(log.entries.length, 1);
  });

  test('one that is released, or could not be written, is accepted again, and was not written', async () => {
    const log = inMemory();
    let isFull = true;
    const append: NonceLog['append'] = async (entry) => {
      if (isFull) throw new Error('ENOSPC');
      log.entries.push(entry);
      return true;
    };
    const nonces = inMemoryNonces({ ...log, append }, WINDOW);
    nonces.use('1', NOW, 'a', NOW).release();
    await assert.rejects(nonces.use('1', NOW, 'a', NOW).commit('read'));
    assert.equal(log.entries.length, 0);
    isFull = false;
    await nonces.use('1', NOW, 'a', NOW).commit('read');
    assert.equal(isGood(nonces, '1', NOW, 'a', NOW), false);
    assert.deepEqual(log.entries, [{ timestamp: NOW, digest: nonceDigest('1', NOW, 'a') }]);
  });

  test('take the same memory however long they are', () => {
    const log = inMemory();
    const nonces = inMemoryNonces(log, WINDOW);
    for (const length of [1, 20, 8000]) isGood(nonces, '1', NOW, 'x'.repeat(length), NOW);
    assert.deepEqual(new Set(log.entries.map(({ digest }) => digest.length)), new Set([43]));
  });
});
