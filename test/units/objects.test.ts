import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { secureRandom } from '../../src/base/random.ts';
import { ObjectsUnavailable } from '../../src/contract/problems/objects-unavailable.ts';
import {
  ContentMismatch,
  contentOfBytes,
  contentOfFile,
  isObjectKey,
  type ObjectContent,
  ObjectMissing,
  type ObjectStore,
} from '../../src/contract/services/objects.ts';
import { folderObjects } from '../../src/storage/objects/folder-objects.ts';
import { S3Objects } from '../../src/storage/objects/s3-objects.ts';
import { until } from '../rig/patience.ts';
import { type OwnS3, startS3 } from '../rig/s3.ts';

const folder = mkdtempSync(join(tmpdir(), 'barker-objects-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const BYTES = Buffer.from('0123456789');
const PARTS = { part_bytes: 5 * 1_048_576 };
/** More than four parts. */
const LARGE = 21_000_001;
const read = async (store: ObjectStore, key: string, range?: { start: number; end: number }) => {
  const { bytes, content } = await store.get(key, range);
  return [bytes, (await buffer(content)).toString()];
};
const keysIn = async (store: ObjectStore, prefix: string): Promise<string[]> => {
  const found: string[] = [];
  for await (const { key } of store.list(prefix)) found.push(key);
  return found.sort();
};

describe('keys of objects', () => {
  for (const key of ['a/b', 'media/ready/1/whole', 'a-b_c.d/0', '0/-/_']) {
    test(`${key} is one`, () => assert.equal(isObjectKey(key), true));
  }
  for (const key of [
    '',
    'a',
    '/',
    '/a',
    'a/',
    'a//b',
    '.',
    '..',
    'a/../b',
    'a/.b',
    'a b',
    'ä',
    'a\\b',
    'x'.repeat(513),
  ]) {
    test(`${JSON.stringify(key.slice(0, 10))} is none`, () => assert.equal(isObjectKey(key), false));
  }
});

for (const kind of ['a folder', 'a bucket'] as const) {
  describe(`objects in ${kind}`, () => {
    let store: ObjectStore;
    let close = async (): Promise<void> => {};
    before(async () => {
      if (kind === 'a folder') {
        store = folderObjects(folder, secureRandom);
        return;
      }
      const s3 = await startS3();
      const bucket = new S3Objects(
        { ...s3.options, ...PARTS, silence_ms: 20_000 },
        { lost: assert.fail, back: assert.fail },
      );
      store = bucket;
      close = async () => {
        bucket.close();
        await s3.close();
      };
    });
    after(() => close());

    test('are read whole and in ranges', async () => {
      await store.put('a/b/c/d', contentOfBytes(BYTES));
      assert.deepEqual(await read(store, 'a/b/c/d'), [10, '0123456789']);
      assert.deepEqual(await read(store, 'a/b/c/d', { start: 3, end: 5 }), [10, '34']);
      assert.deepEqual(await read(store, 'a/b/c/d', { start: 8, end: 99 }), [10, '89']);
      assert.deepEqual(await read(store, 'a/b/c/d', { start: 10, end: 12 }), [10, '']);
      assert.deepEqual(await store.head('a/b/c/d'), { bytes: 10 });
      await store.put('a/empty', contentOfBytes(Buffer.alloc(0)));
      assert.deepEqual(await read(store, 'a/empty'), [0, '']);
    });

    test('that do not exist are missing', async () => {
      assert.equal(await store.head('a/none'), undefined);
      await assert.rejects(store.get('a/none'), ObjectMissing);
      await store.remove(['a/none']);
      assert.deepEqual(await keysIn(store, 'none/'), []);
    });

    test('are listed below a prefix, with size and age, and removed', async () => {
      const keys = ['l/x/1/p', 'l/x/1/q', 'l/x/2/p', 'l/y'];
      for (const key of keys) await store.put(key, contentOfBytes(BYTES));
      assert.deepEqual(await keysIn(store, 'l/'), keys);
      assert.deepEqual(await keysIn(store, 'l/x/1/'), keys.slice(0, 2));
      for await (const { bytes, storedAt_ms } of store.list('l/')) {
        assert.equal(bytes, 10);
        assert.ok(Math.abs(Date.now() - storedAt_ms) < 60_000);
      }
      await store.remove(keys.slice(0, 3));
      assert.deepEqual(await keysIn(store, 'l/'), ['l/y']);
    });

    test('of other bytes than announced are not stored', async () => {
      const good = contentOfBytes(BYTES);
      await assert.rejects(store.put('m/short', { ...good, bytes: 11 }), ContentMismatch);
      await assert.rejects(store.put('m/other', { ...good, sha256: '0'.repeat(64) }), ContentMismatch);
      assert.deepEqual(await keysIn(store, 'm/'), []);
    });

    test('whose source fails are not stored', async () => {
      const source = {
        bytes: 20,
        async *open() {
          yield BYTES;
          throw new Error('the source broke off');
        },
      };
      await assert.rejects(store.put('m/broken', source), /the source broke off/);
      assert.equal(await store.head('m/broken'), undefined);
    });

    test('replace earlier ones under the same key', async () => {
      await store.put('r/k', contentOfBytes(BYTES));
      await store.put('r/k', contentOfBytes(Buffer.from('new')));
      assert.deepEqual(await read(store, 'r/k'), [3, 'new']);
    });

    test('are stored in parts when they are large', async () => {
      const bytes = Buffer.alloc(LARGE, 'large');
      await store.put('p/large', contentOfBytes(bytes));
      const { content } = await store.get('p/large');
      assert.equal((await buffer(content)).equals(bytes), true);
      assert.deepEqual(await read(store, 'p/large', { start: LARGE - 3, end: LARGE }), [
        LARGE,
        bytes.toString('latin1', LARGE - 3),
      ]);
    });
  });
}

describe('objects in a folder only', () => {
  const store = folderObjects(folder, secureRandom);

  test('may be put and removed at once in one folder', async () => {
    const key = (index: number): string => `o/p/q/${index}`;
    await Promise.all(
      Array.from({ length: 200 }, async (_, index) => {
        await store.put(key(index), contentOfBytes(BYTES));
        await store.remove([key(index)]);
      }),
    );
    assert.deepEqual(await keysIn(store, 'o/'), []);
  });

  test('take over a file, and leave nothing behind', async () => {
    const own = join(folder, 'own');
    mkdirSync(own);
    writeFileSync(join(own, 'file'), BYTES);
    await store.put('f/g', contentOfFile(join(own, 'file'), 10));
    assert.deepEqual(await read(store, 'f/g'), [10, '0123456789']);
    assert.equal(store.localPath('f/g'), join(folder, 'f/g'));
    assert.equal(existsSync(join(own, 'file')), false);
    await store.put('f/h', contentOfBytes(BYTES));
    assert.deepEqual(readdirSync(join(folder, 'f', 'incoming')), []);
    writeFileSync(join(folder, 'f', 'incoming', 'draft'), BYTES);
    assert.deepEqual(await keysIn(store, 'f/'), ['f/g', 'f/h']);
    rmSync(join(folder, 'f', 'incoming', 'draft'));
  });

  test('leave nothing of interrupted calls behind', async () => {
    for (const name of ['old', 'new']) writeFileSync(join(folder, 'f', 'incoming', name), BYTES);
    utimesSync(join(folder, 'f', 'incoming', 'old'), 1000, 1000);
    await store.removeIncomplete(1_000_001);
    assert.deepEqual(readdirSync(join(folder, 'f', 'incoming')), ['new']);
    await store.removeIncomplete(Date.now() + 60_000);
    assert.deepEqual(readdirSync(join(folder, 'f', 'incoming')), []);
  });

  test('are at no path beside the folder', async () => {
    await assert.rejects(async () => store.localPath('../x'), /is not the key of an object/);
    await assert.rejects(store.get('../x'), /is not the key of an object/);
  });
});

describe('a bucket that is away', () => {
  let s3: OwnS3;
  const told: string[] = [];
  let store: S3Objects;
  before(async () => {
    s3 = await startS3();
    store = new S3Objects(
      { ...s3.options, ...PARTS },
      { lost: () => void told.push('lost'), back: () => void told.push('back') },
    );
    await store.put('a/b', contentOfBytes(BYTES));
  });
  after(async () => {
    store.close();
    await s3.close();
  });
  test('is not one whose service cannot list uploads in parts', async () => {
    s3.listsUploads = false;
    await store.removeIncomplete(Date.now());
    s3.listsUploads = true;
    assert.deepEqual(told, []);
    assert.equal(store.isUp(), true);
  });

  const SIGNATURE =
    'SignatureDoesNotMatch: The request signature we calculated does not match the signature you provided. Check your key and signing method.';
  const KEY = 'InvalidAccessKeyId: The AWS Access Key Id you provided does not exist in our records.';
  const OF_HEAD = 'status 403: the key or its secret is wrong, or may not do this';
  for (const [what, wrong, reason] of [
    ['secret', { secret: 'another secret' }, SIGNATURE],
    ['key', { keyId: 'another key' }, KEY],
  ] as const) {
    test(`refuses every call with another ${what}, and tells why`, async () => {
      const reasons: string[] = [];
      const listener = { lost: (because: string) => void reasons.push(because), back: () => {} };
      const calls: readonly (readonly [string, (its: ObjectStore) => Promise<unknown>])[] = [
        [OF_HEAD, (its) => its.head('a/b')],
        [reason, (its) => its.put('a/c', contentOfBytes(BYTES))],
        [reason, (its) => its.put('a/c', contentOfBytes(Buffer.alloc(LARGE)))],
        [reason, (its) => its.get('a/b')],
        [reason, (its) => its.remove(['a/b'])],
        [reason, (its) => keysIn(its, 'a/')],
        [reason, (its) => its.removeIncomplete(Date.now())],
      ];
      for (const [expected, call] of calls) {
        const refused = new S3Objects({ ...s3.options, ...PARTS, ...wrong }, listener);
        await assert.rejects(call(refused), {
          message: `the object store does not answer as it should (${expected})`,
        });
        refused.close();
      }
      assert.deepEqual(
        reasons,
        calls.map(([expected]) => expected),
      );
      assert.deepEqual(await keysIn(store, 'a/'), ['a/b']);
    });
  }

  describe('keeps no parts of a large object', () => {
    const PIECE = Buffer.alloc(3_000_000);
    /** Sends half of its parts, and then does something. */
    const largeObject = (then: () => Promise<void>): ObjectContent => ({
      bytes: 10 * PIECE.length,
      async *open() {
        for (let piece = 0; piece < 10; piece++) {
          if (piece === 5) {
            await until('the upload is begun', () => s3.uploadsInParts().length > 0);
            await then();
          }
          yield PIECE;
        }
      },
    });
    const noneIsLeft = () => until('the parts are gone', () => s3.uploadsInParts().length === 0);

    test('that was stored', async () => {
      await store.put(
        'a/large',
        largeObject(async () => {}),
      );
      assert.deepEqual(s3.uploadsInParts(), []);
      await store.remove(['a/large']);
    });

    test('whose source failed', async () => {
      const failing = largeObject(async () => {
        throw new Error('the disk is gone');
      });
      await assert.rejects(store.put('a/large', failing), /the disk is gone/);
      await noneIsLeft();
    });

    test('whose caller gave up', async () => {
      const controller = new AbortController();
      const never = largeObject(async () => {
        controller.abort(new Error('nobody waits for it'));
        await new Promise(() => {});
      });
      await assert.rejects(store.put('a/large', never, controller.signal), /nobody waits/);
      await noneIsLeft();
    });

    test('that the service took only in part: they are removed later', async () => {
      const cut = largeObject(async () => s3.proxy.silence());
      await assert.rejects(store.put('a/large', cut), ObjectsUnavailable);
      s3.proxy.mend();
      told.splice(0);
      assert.deepEqual(s3.uploadsInParts(), ['tests/a/large']);
      await store.removeIncomplete(Date.now() - 86_400_000);
      assert.equal(s3.uploadsInParts().length, 1, 'it may be going on');
      await store.removeIncomplete(Date.now());
      assert.deepEqual(s3.uploadsInParts(), []);
      assert.equal(await store.head('a/large'), undefined);
      told.splice(0);
    });
  });

  const everything: readonly (readonly [what: string, call: () => Promise<unknown>])[] = [
    ['put', () => store.put('a/c', contentOfBytes(BYTES))],
    ['put of parts', () => store.put('a/c', contentOfBytes(Buffer.alloc(LARGE)))],
    ['get', () => store.get('a/b')],
    ['head', () => store.head('a/b')],
    ['remove', () => store.remove(['a/b'])],
    ['list', () => keysIn(store, 'a/')],
  ];

  for (const [state, disturb] of [
    ['silent', () => s3.proxy.silence()],
    ['unreachable', () => s3.proxy.refuse()],
  ] as const) {
    for (const [what, call] of everything) {
      test(`makes ${what} fail while it is ${state}, and no longer when it is back`, async () => {
        disturb();
        await assert.rejects(call(), ObjectsUnavailable);
        assert.equal(store.isUp(), false);
        s3.proxy.mend();
        assert.deepEqual(await read(store, 'a/b'), [10, '0123456789']);
        assert.equal(store.isUp(), true);
        assert.deepEqual(told.splice(0), ['lost', 'back']);
      });
    }
  }

  test('ends the reading of an object that stops in the middle', async () => {
    const patient = new S3Objects({ ...s3.options, ...PARTS, silence_ms: 20_000 }, { lost: () => {}, back: () => {} });
    await patient.put('a/large', contentOfBytes(Buffer.alloc(30_000_000)));
    patient.close();
    const { content } = await store.get('a/large');
    const from = content[Symbol.asyncIterator]();
    await from.next();
    s3.proxy.silence();
    await assert.rejects(async () => {
      while (!(await from.next()).done);
    }, ObjectsUnavailable);
    s3.proxy.mend();
  });

  test('refuses a bucket that does not exist, without trying again', async () => {
    const other = new S3Objects({ ...s3.options, bucket: 'none' }, { lost: () => {}, back: () => {} });
    await assert.rejects(other.put('a/b', contentOfBytes(BYTES)), /NoSuchBucket/);
    other.close();
  });
});
