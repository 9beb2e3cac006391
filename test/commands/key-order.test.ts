import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { describeMasterKeys } from '../../src/features/platform/master-keys.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import { driverOn, openPlace, type Place } from '../rig/databases.ts';
import { recordSecret } from '../rig/secrets.ts';
import { ANY_PORTS, barker, flagsOf, MASTER_KEY as OLD, startServe, toldBy } from './program.ts';

const NEW = 'cd'.repeat(32);
const BEFORE = { BARKER_MASTER_KEY: OLD };
const BOTH = { BARKER_MASTER_KEY: NEW, BARKER_MASTER_KEY_ID: 'k2', BARKER_MASTER_KEYS_OLD: `k1:${OLD}` };
const AFTER = { BARKER_MASTER_KEY: NEW, BARKER_MASTER_KEY_ID: 'k2' };

describe('a master key that is replaced in the wrong order', () => {
  let place: Place;
  const run = (env: Record<string, string>, ...args: string[]) => barker([...args, ...flagsOf(place)], { env });
  const serveBriefly = async (env: Record<string, string>): Promise<void> => {
    const service = await startServe(place, { env });
    service.child.kill('SIGTERM');
    assert.equal((await service.ended).code, 0);
  };
  before(async () => {
    recordSecret('master key', NEW);
    place = await openPlace(undefined, { hasSchema: true });
    const input = 'correct horse battery staple\n';
    toldBy(await barker(['user', 'create', 'ada', ...flagsOf(place)], { env: BEFORE, input }));
    const website = ['--website', 'https://a.test', '--callback', 'https://a.test/back'];
    for (const name of ['One', 'Two']) {
      toldBy(await run(BEFORE, 'app', 'create', name, '--owner', 'ada', '--level', 'read', ...website));
    }
  });
  after(() => place.remove());

  test('secrets are not re-encrypted while a server still encrypts with the old key', async () => {
    await serveBriefly(BOTH);
    const store = storeOn(driverOn(place));
    const keys = describeMasterKeys('k1', { k1: Buffer.from(OLD, 'hex'), k2: Buffer.from(NEW, 'hex') });
    const other = {
      id: 'other',
      hostname: 'other.example',
      version: '1.0.0',
      process: '',
      roles: 'api',
      schema_level: '',
    };
    await store.write((tx) => tx.nodes.add({ ...other, master_keys: keys }, 10));
    assert.deepEqual(await run(BOTH, 'keys', 'reseal'), {
      code: 1,
      stdout: '',
      stderr:
        'barker: servers still encrypt with another master key than k2: other.example; restart each of them with it first (barker nodes shows their keys)\n',
    });
    await store.write((tx) => tx.nodes.remove('other'));
    await store.close();
  });

  test('the old key is not removed while it is needed', async () => {
    const refused = await run(
      AFTER,
      'serve',
      ...ANY_PORTS,
      '--operations-port',
      '0',
      '--allow-insecure-loopback',
      'true',
    );
    assert.equal(refused.code, 1);
    assert.equal(
      refused.stderr,
      'barker: secrets in applications.consumer_secret are encrypted with master key k1, which this server does not have; add it to master_keys_old, and keep it until barker keys reseal has run\n',
    );
    assert.equal((await run(BOTH, 'keys', 'reseal')).code, 0);
    await serveBriefly(AFTER);
  });
});
