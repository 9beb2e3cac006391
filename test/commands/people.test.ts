import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openDriver } from '../../src/app/database.ts';
import type { NumberedPerson } from '../../src/contract/store/directory.ts';
import { locations } from '../../src/features/ads/reference/targeting-tables.ts';
import { directoryFolder } from '../../src/features/audiences/directory/directory.ts';
import { openIdentifiers } from '../../src/features/audiences/directory/identifier-file.ts';
import { imageName } from '../../src/features/audiences/directory/image-writer.ts';
import type { Settings } from '../../src/settings.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import { openPlace, type Place } from '../rig/databases.ts';
import { barker, flagsOf, MASTER_KEY, type Outcome, started, toldBy } from './program.ts';

const env = { BARKER_MASTER_KEY: MASTER_KEY };
let place: Place;
const run = (...args: string[]): Promise<Outcome> => barker([...args, ...flagsOf(place)], { env });

before(async () => {
  place = await openPlace(undefined, { hasSchema: true });
});
after(() => place.remove());

/** Writes a file of people and takes it in. */
async function importing(name: string, text: string): Promise<Outcome> {
  const path = join(place.folder, name);
  writeFileSync(path, text);
  const outcome = await run('import', 'people', path);
  return { ...outcome, stderr: outcome.stderr.replaceAll(path, 'FILE') };
}

/** Looks into the directory beside the commands. */
async function directory() {
  const settings = { data_folder: place.folder, database_url: place.databaseUrl, postgres_connections_max: 2 };
  const store = storeOn(await openDriver(settings as Settings));
  try {
    return await store.read(async (tx) => ({
      state: await tx.directory.findState(),
      people: await tx.directory.list(0, 100_000),
    }));
  } finally {
    await store.close();
  }
}

async function personOf(user: string): Promise<NumberedPerson> {
  return (await directory()).people.find(({ user_id }) => user_id === user)!;
}

/** Identifiers of a person as `kind hash`, of each the 15 bytes that are kept. */
function identifiers({ identifiers: bytes }: NumberedPerson): string[] {
  const found = Array.from({ length: bytes.length / 16 }, (_, at) => {
    const own = Buffer.from(bytes.subarray(at * 16, (at + 1) * 16));
    return `${own[15]} ${own.toString('hex', 0, 15)}`;
  });
  return found.sort();
}
const kept = (kind: number, plain: string) => `${kind} ${hash('sha256', plain).slice(0, 30)}`;
const angeles = locations().find(({ name, location_type }) => name === 'Los Angeles' && location_type === 'CITIES')!;

describe('barker import people', () => {
  const ADA = {
    user_id: 501,
    city: 'Los Angeles',
    region: 'US-CA',
    gender: 'female',
    age: 41,
    device: 'iPhone 11',
    wifi: true,
    language: 'English',
    interests: ['1001', 'books and literature/business and finance'],
    follows: ['007', '8'],
    engagements: ['VIDEO_VIEW:user:7'],
    last_active_at: '2026-03-01T00:00:00Z',
    activated_at: 1_700_000_000,
    email: ' Ada@Example.com ',
    phone_number: ['+1 (415) 555-0142'],
    device_id_sha256: hash('sha256', 'abc').toUpperCase(),
  };

  test('imports NDJSON with plaintext and hashed identifiers', async () => {
    const told = toldBy(await importing('people.ndjson', `${JSON.stringify(ADA)}\n\n{"user_id":"502"}\n`));
    assert.deepEqual(told, { added: '2', changed: '0', refused: '0', skipped: '0', people: '2' });
    const ada = await personOf('501');
    const { number, identifiers: _, ...known } = ada;
    assert.deepEqual(known, {
      user_id: '501',
      country: 'US',
      region: locations().find(({ name }) => name === 'California')!.targeting_value,
      metro: null,
      city: angeles.targeting_value,
      postal_code: null,
      language: 'en',
      gender: '2',
      age: 41,
      platform: '0',
      platform_version: null,
      device: '29',
      network_operator: null,
      wifi: '1',
      interests: '1001 1002',
      follows: '7 8',
      store_categories: '',
      engagements: 'VIDEO_VIEW user:7',
      activated_at: 1_700_000_000,
      last_active_at: Date.parse('2026-03-01T00:00:00Z') / 1000,
    });
    const expected = [kept(0, 'ada@example.com'), kept(1, '+14155550142'), kept(3, '501'), kept(4, 'abc')];
    assert.deepEqual(identifiers(ada), expected.sort());
    assert.deepEqual(identifiers(await personOf('502')), [kept(3, '502')]);
  });

  test('imports CSV and updates existing people', async () => {
    const before = await personOf('501');
    const csv = [
      'user_id,country,city,interests,email',
      '501,"United States",Los Angeles,1001;1003,ada@example.com;ada@example.org',
      '503,DE,,,',
    ].join('\r\n');
    const told = toldBy(await importing('people.csv', csv));
    assert.deepEqual(told, { added: '1', changed: '1', refused: '0', skipped: '0', people: '3' });
    const ada = await personOf('501');
    assert.deepEqual([ada.number, ada.age, ada.interests], [before.number, null, '1001 1003']);
    assert.deepEqual(identifiers(ada), [kept(0, 'ada@example.com'), kept(0, 'ada@example.org'), kept(3, '501')].sort());
    const again = toldBy(await importing('people.csv', csv));
    assert.deepEqual([again.added, again.changed, again.people], ['0', '2', '3']);
  });

  test('builds a sorted index of identifiers', async () => {
    const { state, people } = await directory();
    const reader = openIdentifiers(join(directoryFolder(place.folder), imageName(state)));
    const block = Buffer.from(reader.next()!);
    const found = Array.from({ length: reader.entries }, (_, at) => block.toString('hex', at * 20, at * 20 + 16));
    assert.equal(reader.next(), undefined);
    reader.close();
    assert.deepEqual(found, [...found].sort());
    assert.equal(found.length, people.flatMap(identifiers).length);
    assert.equal(reader.people, 3);
  });

  test('skips invalid records without printing identifiers', async () => {
    const lines = [
      '{"user_id":"x"}',
      '{"user_id":"504","email_sha256":"secret@example.com"}',
      '{"user_id":"505","country":"Atlantis","age":0,"gender":["1","2"]}',
      '{"user_id":"506","city":"Los Angeles","country":"DE"}',
      '{"user_id":"507","engagements":"LIKE:user:1"}',
      '{"e-mail":"secret@example.com"}',
      '[]',
      'secret@example.com',
      '{}',
      '{"user_id":"508"}',
    ];
    const { code, stdout, stderr } = await importing('wrong.ndjson', lines.join('\n'));
    assert.equal(code, 1);
    assert.match(stdout, /^added=1$/m);
    assert.doesNotMatch(stderr, /secret@/);
    assert.deepEqual(
      stderr.split('\n').map((line) => line.replace(/; expected one of user_id.*$/, '')),
      [
        'line 1: user_id: expected a decimal number, got "x"',
        'line 2: email_sha256: expected 64 hexadecimal digits',
        'line 3: country: expected a country, got "Atlantis"; gender: expected one value, got 2; age: expected 1 to 150, got "0"',
        'line 4: city: expected the targeting value or name of a place in this country, got "Los Angeles"',
        'line 5: engagements: expected KIND:user:ID or KIND:campaign:ID with a kind of IMPRESSION, ENGAGEMENT, VIDEO_VIEW, VIDEO_VIEW_PARTIAL, VIDEO_VIEW_COMPLETE',
        'line 6: unknown member "e-mail"',
        'line 7: is not a JSON object',
        'line 8: is not JSON',
        'line 9: user_id: is required',
        'barker: FILE: 9 records were rejected, all others imported',
        '',
      ],
    );
  });

  const files: [name: string, text: string, message: RegExp][] = [
    ['people.xls', '', /expected a file that ends in \.ndjson, \.jsonl, \.csv, \.tsv or \.txt/],
    ['strange.csv', 'user_id,shoes\n1,a\n', /unknown column shoes; expected any of user_id,/],
    ['without.csv', 'email\na@b.test\n', /the column user_id is required/],
    ['broken.csv', 'user_id\n"1', /the text ends within quotes/],
  ];
  for (const [name, text, message] of files) {
    test(`rejects ${name}`, async () => {
      const { code, stderr } = await importing(name, text);
      assert.equal(code, 2);
      assert.match(stderr, message);
    });
  }
});

describe('barker demo population', () => {
  test('resumes after being killed', async () => {
    const { people: before } = await directory();
    const args = ['demo', 'population', '--users', '24000', ...flagsOf(place)];
    const killed = started(args, { env });
    await killed.saw(/^10,000 people$/m);
    killed.child.kill('SIGKILL');
    await killed.ended;
    assert.equal((await directory()).state.people, before.length, 'nobody counts before all are there');
    const told = toldBy(await run('demo', 'population', '--users', '24000'));
    assert.ok(Number(told.added) <= 14_000, `${told.added} were added by the second`);
    assert.equal(told.people, String(before.length + 24_000));
    const { people } = await directory();
    assert.equal(new Set(people.map(({ user_id }) => user_id)).size, before.length + 24_000);
  });

  test('is reproducible by seed, and writes plaintext identifiers to a file', async () => {
    const csv = join(place.folder, 'known.csv');
    const told = toldBy(await run('demo', 'population', '--users', '50', '--csv', csv));
    assert.deepEqual([told.added, told.changed], ['0', '50']);
    const first = await personOf('3000000000');
    const [head, line] = readFileSync(csv, 'utf8').split('\n');
    assert.equal(head, 'user_id,email,phone_number,handle,device_id');
    const [id, ...known] = line!.split(',');
    assert.deepEqual(
      identifiers(first),
      [kept(3, id!), ...known.map((plain, at) => kept([0, 1, 2, 4][at]!, plain))].sort(),
    );
    const imported = toldBy(await run('import', 'people', csv));
    assert.deepEqual([imported.changed, imported.refused], ['50', '0']);
  });
});
