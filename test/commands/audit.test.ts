import assert from 'node:assert/strict';
import { hostname, userInfo } from 'node:os';
import { after, before, describe, test } from 'node:test';
import { formatInstant } from '../../src/base/instants.ts';
import { COMMANDS_WITH_REASON } from '../../src/cli/reasons.ts';
import type { AuditRecord } from '../../src/contract/store/audit.ts';
import { auditExpiry } from '../../src/features/platform/expiry-job.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import { sumsOf } from '../rig/copies.ts';
import { onPlace, type Place } from '../rig/databases.ts';
import { runHere } from '../rig/in-process.ts';
import { collectLog } from '../rig/logs.ts';
import { openReleasedTables } from '../rig/releases.ts';
import { allCommands } from './all-commands.ts';
import {
  CHANGES,
  ELSEWHERE,
  file,
  LOOKS,
  made,
  PASSWORD,
  prepare,
  READS,
  takeNote,
  user,
  writeFiles,
} from './audited-commands.ts';
import { flagsOf, MASTER_KEY, type Outcome } from './program.ts';

const env = { BARKER_MASTER_KEY: MASTER_KEY, SUDO_USER: 'grace' };
/** What commands told that nobody else may know. */
const secrets: string[] = [];
let place: Place;

// What is written is not searched: secrets stand where names belong.
const run = (words: string, args: readonly string[], flags = flagsOf(place)): Promise<Outcome> =>
  runHere([...words.split(' '), ...args, ...flags], { env });

function records(of: Pick<Place, 'folder' | 'databaseUrl'> = place): Promise<AuditRecord[]> {
  return onPlace(of, (driver) => storeOn(driver).read((tx) => tx.audit.listRecords({ limit: 1000 })));
}

before(async () => {
  place = await openReleasedTables();
  writeFiles();
});
after(() => place.remove());

async function newestToken(): Promise<string> {
  const value = secrets.filter((each) => /^\d+-/.test(each)).at(-1)!;
  return onPlace(place, async (driver) => (await storeOn(driver).read((tx) => tx.credentials.findToken(value)))!.id);
}

test('every command is covered: it leaves a record or changes nothing', async () => {
  const known = [...Object.keys(CHANGES), ...Object.keys(READS), ...ELSEWHERE];
  assert.deepEqual([...(await allCommands())].sort(), known.sort());
});

describe('an audit record is stored by', () => {
  for (const [words, { args, touches, says }] of Object.entries(CHANGES)) {
    test(words, async () => {
      await prepare(words, place, run);
      const target = { folder: file('restored'), databaseUrl: '' };
      const why = COMMANDS_WITH_REASON.has(words) ? ['--reason', ' Sells "likes" '] : [];
      const own = words === 'restore' ? flagsOf(target as Place) : flagsOf(place);
      const ran = await run(words, [...args(), ...why], own);
      assert.deepEqual([ran.code, ran.stderr], [0, '']);
      for (const [name, value] of Object.entries(takeNote(words, ran))) {
        if (/secret|token|password|bearer/.test(name)) secrets.push(value);
      }
      if (/token/.test(words)) made.token_id = await newestToken();
      const [newest] = await records(words === 'restore' ? target : place);
      assert.ok(newest);
      const { id, at, targets, ...rest } = newest;
      assert.deepEqual(targets, touches());
      assert.deepEqual(rest, {
        event: 'command',
        outcome: 'done',
        actor: `operator:${userInfo().username}`,
        sudo_user: 'grace',
        origin: hostname(),
        transaction_id: null,
        command: [
          words,
          ...(says ? [says] : []),
          ...(COMMANDS_WITH_REASON.has(words) ? ['--reason "Sells \\"likes\\""'] : []),
        ].join(' '),
      });
      assert.ok(Math.abs(Date.parse(at) - Date.now()) < 600_000 && id.length === 16, at);
    });
  }

  test('copy, in the target database too', async () => {
    const found = await records({ folder: file('copy'), databaseUrl: '' });
    const copies = found.filter(({ command }) => command?.startsWith('copy'));
    // The one of the source had not ended when its rows were read.
    assert.deepEqual(copies.map(({ outcome }) => outcome).sort(), ['begun', 'done']);
  });
});

describe('nothing is changed or recorded by', () => {
  for (const [words, args] of [...Object.entries(READS), ...LOOKS]) {
    test(`${words} ${LOOKS.some(([each]) => each === words) ? '(read-only)' : ''}`.trimEnd(), async () => {
      const sums = () => onPlace(place, sumsOf);
      const earlier = await sums();
      const ran = await run(words, args());
      if (words !== 'doctor') assert.deepEqual([ran.code, ran.stderr], [0, '']);
      assert.deepEqual(await sums(), earlier);
    });
  }
});

describe('a command that fails', () => {
  // A secret may begin with a hyphen, as options do.
  const withSecret = (index: number): string => `a${secrets[index]!}`;
  const cases: [words: string, args: () => string[], targets: () => string[]][] = [
    ['user suspend', () => ['nobody'], () => []],
    ['user create', () => ['ada', '--password-file', file('password')], () => []],
    ['user totp', () => ['ben', '--reset'], user('ben')],
    ['app suspend', () => [withSecret(0)], () => []],
    ['webhooks resend', () => [withSecret(1), '--failed'], () => []],
    ['events emit', () => ['dm.sent', '--user', withSecret(2)], () => []],
    ['account approve', () => [withSecret(3)], () => []],
  ];
  for (const [words, args, targets] of cases) {
    test(`is recorded as failed: ${words}`, async () => {
      const { length } = await records();
      assert.equal((await run(words, args())).code, 1);
      const found = await records();
      assert.equal(found.length, length + 1);
      assert.deepEqual([found[0]!.outcome, found[0]!.targets], ['failed', targets()]);
    });
  }

  test('a killed command leaves a record with the outcome begun', async () => {
    const found = await records({ folder: file('restored'), databaseUrl: '' });
    const backups = found.filter(({ command }) => command === 'backup');
    assert.deepEqual(
      backups.map(({ outcome }) => outcome),
      ['begun'],
      'as it was when the rows were read',
    );
  });
});

test('records contain no secrets', async () => {
  const all = JSON.stringify(await records());
  collectLog(`${all}\n`);
  assert.ok(secrets.length >= 8, String(secrets.length));
  const input = [
    PASSWORD,
    MASTER_KEY,
    'hunter2',
    made.consumer_key!,
    ...(place.databaseUrl === '' ? [] : [place.databaseUrl]),
  ];
  for (const secret of [...secrets, ...input]) assert.ok(!all.includes(secret), secret);
});

describe('barker audit list', () => {
  const list = async (...args: string[]): Promise<AuditRecord[]> => {
    const { code, stdout, stderr } = await run('audit list', [...args, '--json']);
    assert.deepEqual([code, stderr], [0, '']);
    return stdout
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line));
  };

  test('prints JSON with every field, newest first, up to --count', async () => {
    const all = await records();
    assert.deepEqual(await list('--count', '1000'), all);
    assert.deepEqual(await list('--count', '3'), all.slice(0, 3));
    const times = all.map(({ at }) => at);
    assert.deepEqual(times, times.toSorted().reverse());
  });

  test('filters by target, actor, event and time', async () => {
    const all = await records();
    const touching = (target: string) => all.filter(({ targets }) => targets.includes(target));
    const wanted = touching(`application:${made.application_id}`);
    assert.ok(wanted.length >= 9);
    assert.deepEqual(await list('--id', `application:${made.application_id}`), wanted);
    assert.deepEqual(await list('--id', made.account_id!), touching(`account:${made.account_id}`));
    assert.deepEqual(await list('--id', 'application:4711'), []);
    for (const who of ['grace', userInfo().username, `operator:${userInfo().username}`]) {
      assert.equal((await list('--actor', who, '--count', '1000')).length, all.length);
    }
    assert.deepEqual(await list('--actor', 'user:1'), []);
    assert.deepEqual(await list('--event', 'login'), []);
    assert.equal((await list('--event', 'command', '--count', '1000')).length, all.length);
    assert.deepEqual(await list('--since', '2999-01-01'), []);
    assert.deepEqual(await list('--until', '2020-01-01T00:00:00+02:00'), []);
    const between = await list('--since', '2020-01-01', '--until', '2999-01-01', '--count', '1000');
    assert.equal(between.length, all.length);
  });

  test('prints one line a record, whatever names contain', async () => {
    await runHere(['user', 'suspend', 'ben', ...flagsOf(place)], { env: { ...env, SUDO_USER: 'eve\u001b[2J\nroot' } });
    const { stdout } = await run('audit list', ['--count', '1']);
    const columns = stdout.trimEnd().split('\t');
    assert.equal(stdout.split('\n').length, 2);
    assert.deepEqual(columns.slice(1, 3), ['command', 'done']);
    assert.equal(columns[3], `operator:${userInfo().username} (eve\\u001b[2J\\u000aroot)`);
    assert.deepEqual(columns.slice(4, 6), [hostname(), `user:${made.ben}`]);
    assert.equal(columns[6], 'user suspend');
  });

  const senseless: [args: string[], stderr: RegExp][] = [
    [['--since', 'yesterday'], /^barker: --since takes a time such as 2026-03-02T17:04:55Z\n$/],
    [['--until', '1'], /^barker: --until takes a time/],
    [['--count', '0'], /^barker: --count must be a number/],
    [['--event', 'lunch'], /^barker: option '--event <event>' argument 'lunch' is invalid/],
  ];
  for (const [args, stderr] of senseless) {
    test(`refuses ${args.join(' ')}`, async () => {
      const ran = await run('audit list', args);
      assert.equal(ran.code, 2);
      assert.match(ran.stderr, stderr);
    });
  }
});

test('records expire after audit_retention_days, and never with 0', async () => {
  await onPlace(place, async (driver) => {
    const store = storeOn(driver);
    const now = formatInstant(Date.now() + 3 * 86_400_000);
    const expire = (days: number) => store.write((tx) => auditExpiry.store(tx, {} as never, days, now));
    const { length } = await records();
    assert.equal(await expire(0), 0);
    assert.equal(await expire(4), 0);
    assert.equal(await expire(2), length);
    assert.deepEqual(await records(), []);
    const next = await store.read((tx) => tx.jobs.find('audit-expiry', 'all'));
    assert.equal(next, formatInstant(Date.parse(now) + 3_600_000));
  });
  assert.equal(await auditExpiry.prepare!({} as never, { audit: { retention_days: 7 } } as never, {} as never), 7);
});
