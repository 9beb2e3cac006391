// On either database: commands open it as the service does.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { systemClock } from '../../src/base/clock.ts';
import { readPacked } from '../../src/features/audiences/uploads/packed-format.ts';
import { audienceOn, hashOf, type Kept } from '../resources/people-calls.ts';
import { type Client, clientOf } from '../rig/client.ts';
import { csvRows } from '../rig/csv.ts';
import { dev } from '../rig/developer-surface.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';
import { barker, started } from './program.ts';

describe('barker audience hash', () => {
  for (const [type, value, expected] of [
    ['email', ' Ada.Park@Example.com', 'c63bfa58347adb89a36591889b9faa7bfea02e5336529c46662ddda5ad233f90'],
    ['phone_number', '+1 (415) 555-0142', 'abbf04d6f629b136344993dfb197f1fd9296f712eaf103ebc22b1cc29fb0f135'],
    ['handle', '@LumenRoasters', '2d318ee0150f0cf54940ef2241bcf542aa787d31df357b3f34c8cda9b33a983c'],
    ['service_user_id', '90071992547', hash('sha256', '90071992547')],
    ['device_id', 'EA7583CD-A667-48BC-B806-42ECB2B48606', hash('sha256', 'ea7583cd-a667-48bc-b806-42ecb2b48606')],
  ] as const) {
    test(`${type}: the published check values`, async () => {
      const { code, stdout, stderr } = await barker(['audience', 'hash', '--type', type, value]);
      assert.deepEqual([code, stdout, stderr], [0, `${expected}\n`, '']);
    });
  }

  test('hashes each line of stdin, with normalized values', async () => {
    const outcome = await barker(['audience', 'hash', '--type', 'email', '--form'], {
      input: 'A@b.example\n\nc@d.example\n',
    });
    const lines = ['a@b.example', 'c@d.example'].map((form) => `${form}\t${hash('sha256', form)}\n`);
    assert.deepEqual([outcome.code, outcome.stdout], [0, lines.join('')]);
  });

  test('streams stdin with bounded lines', async () => {
    const hashing = started(['audience', 'hash', '--type', 'handle'], { input: null });
    hashing.child.stdin!.write('lumenroasters\nada');
    // Before the input has ended.
    await hashing.saw(/^2d318ee0150f0cf54940ef2241bcf542aa787d31df357b3f34c8cda9b33a983c\n$/);
    hashing.child.stdin!.end(`${'x'.repeat(1_048_576)}\nben\n`);
    const { code, stdout, stderr } = await hashing.ended;
    assert.deepEqual(
      [code, stdout.split('\n').length, stderr],
      [2, 2, 'barker: line 2 is longer than 1048576 bytes\n'],
    );
  });

  test('rejects what is no identifier, and types that are not hashed', async () => {
    assert.equal((await barker(['audience', 'hash', '--type', 'handle', ' @ '])).code, 2);
    const phone = ['audience', 'hash', '--form', '--type', 'phone_number', '0171 2345678'];
    const none = await barker(phone);
    assert.deepEqual([none.code, /its country is not known/.test(none.stderr)], [2, true]);
    assert.match((await barker([...phone, '--country', 'de'])).stdout, /^\+491712345678\t/);
    const own = await barker(['audience', 'hash', '--type', 'partner_user_id', 'x']);
    assert.deepEqual([own.code, /Allowed choices are email, phone_number/.test(own.stderr)], [2, true]);
  });
});

describe('barker audience upload', () => {
  let world: World;
  let client: Client;
  let account: string;
  let path: string;
  let kept: Kept;
  before(async () => {
    world = await openWorld({ seams: { clock: systemClock } });
    client = clientOf(world.service.sandboxUrl, world.keys, systemClock);
    ({ account, path } = await openAccount(client));
    kept = await audienceOn(client, path);
  });
  after(() => world.close());

  const fileOf = async (name: string, rows: readonly string[]): Promise<string> => {
    const file = join(world.place.folder, name);
    await writeFile(file, `${rows.join('\n')}\n`);
    return file;
  };
  const argumentsFor = (file: string): string[] => {
    const to = ['--account', account, '--audience', kept.id, '--sandbox', '--data', world.place.folder];
    return ['audience', 'upload', file, ...to];
  };
  const upload = (file: string, ...options: string[]) => barker([...argumentsFor(file), ...options]);
  /** Identifiers of each person of the last upload, and what is done with them. */
  const lastUpload = async () => {
    const subject = `audience:${kept.id}` as const;
    const { store } = world.service;
    const last = (await store.read((tx) => tx.audienceLog.find(subject)))!.number;
    const [{ payload, records } = { payload: new Uint8Array(), records: 0 }] = await store.read((tx) =>
      tx.audienceLog.findAfter(subject, last - 1, 1),
    );
    const people: string[][] = [];
    let type = -1;
    readPacked(payload, {
      operation: (each) => {
        type = each;
      },
      person: (at, count) =>
        void people.push(
          Array.from({ length: count }, (_, index) =>
            Buffer.from(payload.subarray(at + index * 16, at + index * 16 + 16)).toString('hex'),
          ),
        ),
    });
    return { type, records, people };
  };
  const identifier = (text: string, kind: number): string => `${hash('sha256', text).slice(0, 30)}0${kind}`;

  test('detects columns by name, hashes locally, and tells what was refused by its exit code and in a report', async () => {
    const file = await fileOf('people.csv', [
      'Name,E-Mail,Mobile phone,email_sha256,Customer ID',
      'Ada,ADA.Park@example.com; ada@work.example,+1 415 555 0142,,crm-1',
      `Bob,,,${hashOf(1).toUpperCase()},`,
      'Cem,nothing,none,,',
      `Dee,${hashOf(2)},0171 2345678,,`,
    ]);
    const report = `${file}.report`;
    const { code, stdout, stderr } = await upload(file, '--report', report);
    assert.deepEqual([code, stdout], [1, '3 people uploaded\n'], stderr);
    assert.match(stderr, /^not used: Name$/m);
    assert.match(stderr, /^line 4, E-Mail: not an e-mail address$/m);
    assert.match(stderr, /people.csv: 1 of 4 rows were refused$/m);
    assert.deepEqual(csvRows(await readFile(report, 'utf8')), [
      ['line', 'column', 'reason', 'row'],
      ['4', 'E-Mail', 'not an e-mail address', 'refused'],
      ['4', 'Mobile phone', 'not a phone number of any country', 'refused'],
      ['5', 'Mobile phone', 'a phone number without country code, and its country is not known', 'uploaded'],
    ]);
    assert.deepEqual(await lastUpload(), {
      type: 0,
      records: 3,
      people: [
        [
          identifier('ada.park@example.com', 0),
          identifier('ada@work.example', 0),
          identifier('+14155550142', 1),
          identifier('crm-1', 5),
        ],
        [`${hashOf(1).slice(0, 30)}00`],
        [`${hashOf(2).slice(0, 30)}00`],
      ],
    });
    assert.deepEqual(
      readdirSync(world.place.folder).filter((name) => name.endsWith('.uploaded')),
      [],
    );
  });

  test('removes people, with columns and a country that the command line names', async () => {
    const file = await fileOf('out.txt', ['ada@example.com;030 123456']);
    const unknown = await upload(await fileOf('towns.csv', ['Stadt,Land', 'Berlin,DE']));
    assert.deepEqual([unknown.code, /cannot tell which column of .* has identifiers/.test(unknown.stderr)], [2, true]);
    const outcome = await upload(file, '--remove', '--column', '2=phone_number', '--country', 'DE');
    assert.equal(outcome.code, 0, outcome.stderr);
    const people = [[identifier('ada@example.com', 0), identifier('+4930123456', 1)]];
    assert.deepEqual(await lastUpload(), { type: 1, records: 1, people });
  });

  test('sends again what the server has not taken', async () => {
    const body = { times: 1, do: { partial_success: { n: 1 } } };
    assert.equal((await dev(world, 'POST', '/_dev/faults', { body })).status, 201);
    const { code, stdout, stderr } = await upload(
      await fileOf('some.csv', ['email', 'a@part.example', 'b@part.example']),
    );
    assert.deepEqual([code, stdout], [0, '2 people uploaded\n'], stderr);
    assert.match(stderr, /the server took 1 of 2 people; retrying in 1 s/);
    assert.equal((await lastUpload()).records, 2);
  });

  test('splits large files into requests and prints progress', async () => {
    const rows = Array.from({ length: 100_000 }, (_, index) => `person${index}@example.com`);
    const { code, stdout, stderr } = await upload(await fileOf('many.csv', ['email', ...rows]));
    assert.deepEqual([code, stdout], [0, '100000 people uploaded\n'], stderr);
    assert.deepEqual(stderr.match(/^[\d,]+ people$/gm)?.length, 2);
    await world.service.jobs.runDue();
    assert.equal((await kept.show()).audience_size, 100_005);
  });

  test('resumes where it was interrupted', async () => {
    kept = await audienceOn(client, path);
    const rows = Array.from({ length: 200_000 }, (_, index) => `again${index}@example.com`);
    const file = await fileOf('again.csv', ['email', ...rows]);
    const stopped = started(argumentsFor(file));
    const [, told] = await stopped.saw(/^([\d,]+) people$/m);
    stopped.child.kill('SIGKILL');
    await stopped.ended;
    const { code, stdout, stderr } = await upload(file);
    assert.deepEqual([code, stdout], [0, '200000 people uploaded\n'], stderr);
    const [, row] = /^resuming after row ([\d,]+)$/m.exec(stderr) ?? [];
    assert.ok(Number(row?.replaceAll(',', '')) >= Number(told!.replaceAll(',', '')), stderr);
    await world.service.jobs.runDue();
    assert.equal((await kept.show()).audience_size, 200_000);
  });

  test('prints why an upload is refused, and requires an audience or a list', async () => {
    const file = await fileOf('bad.csv', ['email', 'ada@example.com']);
    const wrong = await upload(file, '--expires-at', '2020-01-01');
    assert.deepEqual([wrong.code, /the server answered/.test(wrong.stderr)], [1, true]);
    const nobody = await upload(await fileOf('nobody.csv', ['email', 'ada']));
    assert.deepEqual([nobody.code, nobody.stdout], [1, '0 people uploaded\n']);
    const nowhere = await barker(['audience', 'upload', file, '--account', account]);
    assert.deepEqual([nowhere.code, nowhere.stderr], [2, 'barker: give either --audience or --list\n']);
  });
});
