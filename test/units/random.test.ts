import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { alphanumeric, secureRandom, seededRandom } from '../../src/base/random.ts';

describe('random', () => {
  test('one seed and purpose give one stream, however it is read', () => {
    const whole = seededRandom(7, 'ids').bytes(100);
    const cut = seededRandom(7, 'ids');
    assert.deepEqual(Buffer.concat([cut.bytes(1), cut.bytes(32), cut.bytes(0), cut.bytes(67)]), whole);
    assert.notDeepEqual(seededRandom(8, 'ids').bytes(100), whole);
    assert.notDeepEqual(seededRandom(7, 'keys').bytes(100), whole);
  });

  test('the secure stream does not repeat itself', () => {
    assert.notDeepEqual(secureRandom.bytes(16), secureRandom.bytes(16));
    assert.equal(secureRandom.bytes(5).length, 5);
  });

  test('letters and digits are drawn without bias', () => {
    const drawn = alphanumeric(seededRandom(1, 'test'), 62_000);
    assert.match(drawn, /^[A-Za-z0-9]{62000}$/);
    const counts = new Map<string, number>();
    for (const letter of drawn) counts.set(letter, (counts.get(letter) ?? 0) + 1);
    assert.equal(counts.size, 62);
    // 1000 of each are expected; six standard deviations are 190.
    for (const [letter, count] of counts) assert.ok(Math.abs(count - 1000) < 190, `${letter} ${count}`);
  });

  test('bytes that would bias the result are discarded', () => {
    const source = [255, 248, 61, 62, 247, 0];
    let at = 0;
    const random = { bytes: (count: number) => Buffer.from(Array.from({ length: count }, () => source[at++ % 6]!)) };
    assert.equal(alphanumeric(random, 4), '9A9A');
  });
});
