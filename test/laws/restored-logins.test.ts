import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { TOTP } from 'otpauth';
import { backUp } from '../../src/backup/backup.ts';
import { inspectArchive } from '../../src/backup/inspect-archive.ts';
import { restore } from '../../src/backup/restore.ts';
import { formatInstant } from '../../src/base/instants.ts';
import { redeemOperatorLink } from '../../src/features/platform/operator-links.ts';
import { addPerson, browserOf, logIn, outlineOf, type Person, type Seen, typed } from '../rig/browser.ts';
import { COPY_KEYS, RECORD, sourceOn, targetOn } from '../rig/copies.ts';
import { onPlace, openPlace } from '../rig/databases.ts';
import { operatorToken, signInToConsole } from '../rig/operator.ts';
import { recordSecret } from '../rig/secrets.ts';
import { openWorld, type World } from '../rig/world.ts';

let original: World;
let restored: World;
let person: Person;
let secret: string;
let recovery: string[];
let link: string;

const codeAt = (now: number): string => TOTP.generate({ secret: new TOTP({ secret }).secret, timestamp: now });
const headingOf = (page: Seen): string => outlineOf(page.html).heading;

/** The status with which a login of the person ends that has both steps. */
async function logInWith(world: World, code: string): Promise<number> {
  const user = browserOf(world.service.url);
  const page = await user.submit(await user.get('/login'), typed(person));
  assert.equal(headingOf(page), 'Enter your code');
  return (await user.submit(page, { 'session[code]': code })).status;
}

/** The operator whom the link signs in, if it works. */
const useLink = ({ service }: World): Promise<string | undefined> =>
  service.store.write((tx) => redeemOperatorLink(tx, link, formatInstant(service.wallClock.now())));

before(async () => {
  original = await openWorld({ flags: { rate_limits: 'off', operator_console: true, operations_port: 0 } });
  person = await addPerson(original);
  const user = browserOf(original.service.url);
  await logIn(user, person);
  const page = await user.get('/settings/security?setup=yes');
  const key = /<dt>Setup key<\/dt><dd><code>([A-Z2-7-]+)<\/code>/.exec(page.html)![1]!;
  recordSecret('secret of one-time codes', key);
  secret = key.replaceAll('-', '');
  const told = await user.submit(page, { 'session[code]': codeAt(original.clock.now()) });
  recovery = [...told.html.matchAll(/<li><code>([a-z2-7-]+)<\/code>/g)].map(([, code]) => code!);
  for (const code of recovery) recordSecret('recovery code', code);
  link = await operatorToken(original.service, 'anna');
  await signInToConsole(original.service, 'grace');
});
after(async () => {
  await restored?.close();
  await original?.close();
});

describe('after a restore', () => {
  let used: string;
  let ahead: string;
  before(async () => {
    const archive = join(original.place.folder, 'a.tar');
    original.clock.advance(60);
    const start = original.clock.now();
    await onPlace(original.place, (driver) => backUp(sourceOn(original.place, driver, start), archive));
    // Used up between the backup and the restore.
    used = codeAt(start);
    ahead = codeAt(start + 30_000);
    assert.equal(await logInWith(original, used), 303);
    assert.equal(await logInWith(original, ahead), 303);
    assert.equal(await logInWith(original, recovery[0]!), 303);
    assert.equal(await useLink(original), 'anna');
    const place = await openPlace();
    const { head } = await inspectArchive(archive, COPY_KEYS);
    const restoring = { now: start, requests_not_before: 0, progress: () => {}, record: RECORD };
    await restore(archive, head, targetOn(place), restoring);
    for (const name of ['master.key', 'dev.json']) {
      copyFileSync(join(original.place.folder, name), join(place.folder, name));
    }
    restored = await openWorld({ place, start: new Date(start).toISOString(), flags: { rate_limits: 'off' } });
  });

  test('nobody is logged in', async () => {
    assert.deepEqual(await restored.service.store.read((tx) => tx.sessions.list(person.id)), []);
    assert.deepEqual(await restored.service.store.read((tx) => tx.operatorSessions.list()), []);
  });

  test('one-time codes used since the backup are refused, and the next are accepted', async () => {
    assert.equal(await logInWith(restored, used), 401);
    assert.equal(await logInWith(restored, ahead), 401);
    restored.clock.advance(60);
    assert.equal(await logInWith(restored, codeAt(restored.clock.now())), 303);
  });

  test('recovery codes are invalid, because the used ones are unknown', async () => {
    for (const code of recovery.slice(0, 2)) assert.equal(await logInWith(restored, code), 401);
  });

  test('links of operators are invalid, because the used ones are unknown', async () => {
    assert.equal(await useLink(restored), undefined);
  });
});
