import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { secretBox } from '../../src/base/secret-box.ts';
import { secretContext } from '../../src/contract/store/sealed-columns.ts';
import { storeOn } from '../../src/storage/core/store.ts';
import type { WriteTransaction } from '../../src/storage/unit-of-work.ts';
import { onPlace, type Place } from '../rig/databases.ts';
import { recordSecrets } from '../rig/secrets.ts';
import { MASTER_KEY, type Outcome, toldBy } from './program.ts';

/** The webhook that commands name. */
const WEBHOOK = '1800000000000000001';

/** Results of earlier commands: ids and keys by name, which later ones name. */
export const made: Record<string, string> = {};
const files = mkdtempSync(join(tmpdir(), 'barker-audit-'));
process.on('exit', () => rmSync(files, { recursive: true, force: true }));

/** A file for commands to read or write. */
export const file = (name: string): string => join(files, name);

/** What users are given as a password. */
export const PASSWORD = 'correct horse battery staple';

/** Writes the files that commands read, into an empty folder. */
export function writeFiles(): void {
  rmSync(files, { recursive: true });
  mkdirSync(files);
  writeFileSync(file('password'), PASSWORD);
  const imported = { id: 'imported1', name: 'Harbour Tea', users: [{ user_id: '900000001', role: 'ACCOUNT_ADMIN' }] };
  writeFileSync(file('accounts.json'), JSON.stringify({ accounts: [imported] }));
  writeFileSync(file('people.ndjson'), '{"user_id":"7000000000000000001","handle":"harbour_ada"}\n');
  const post = { id: '7301234567890123456', text: 'tea', created_at: new Date(Date.now() - 3_600_000).toISOString() };
  writeFileSync(file('posts.ndjson'), `${JSON.stringify(post)}\n`);
}

/** Takes note of what a command told, for those after it; returns all of it. */
export function takeNote(words: string, { stdout }: Outcome): Record<string, string> {
  const told = Object.fromEntries([...stdout.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]));
  recordSecrets(told);
  for (const [name, value] of Object.entries(told)) {
    if (/^(application_id|account_id|consumer_key|funding_instrument_id)$/.test(name)) made[name] = value;
  }
  if (words === 'user create') made.ada = told.user_id!;
  return told;
}

const box = secretBox({ currentKeyId: 'k1', keys: { k1: Buffer.from(MASTER_KEY, 'hex') }, random: randomBytes });

/** Makes what a command needs that no command makes. */
export async function prepare(
  words: string,
  place: Pick<Place, 'folder' | 'databaseUrl'>,
  run: (words: string, args: readonly string[]) => Promise<Outcome>,
): Promise<void> {
  const add = (rows: (tx: WriteTransaction) => Promise<unknown>) =>
    onPlace(place, (driver) => storeOn(driver).write(rows));
  if (words === 'user password') {
    made.ben = toldBy(await run('user create', ['ben', '--password-file', file('password')])).user_id!;
  } else if (words === 'user totp') {
    await add((tx) =>
      tx.secondFactors.add({ user_id: made.ada!, secret: 'k1.x', last_step: 0, created_at: '2026-01-01T00:00:00Z' }),
    );
  } else if (words === 'webhooks secret') {
    await add((tx) =>
      tx.webhooks.add(
        {
          id: WEBHOOK,
          application_id: made.application_id!,
          url: 'https://a.test/in',
          url_form: 'https://a.test/in',
          valid: 1,
          created_at: '2026-01-01T00:00:00Z',
          validated_at: '2026-01-01T00:00:00Z',
          failing_since: null,
          failure: null,
          secret: box.seal('whsec_hunter2', secretContext.webhook(WEBHOOK)),
          former_secret: null,
          former_until: null,
        },
        0,
      ),
    );
  }
}

/** A command that changes something: its arguments, and what its record says that it touched. */
export interface Change {
  readonly args: () => readonly string[];
  readonly touches: () => readonly string[];
  /** Its record has the values of these options. */
  readonly says?: string;
}

/** The user of a name, as a target. */
export const user = (name: string) => (): string[] => [`user:${made[name]}`];
const application = (): string[] => [`application:${made.application_id}`];
const account = (...more: string[]): string[] => [`account:${made.account_id}`, ...more];
const key =
  (...more: string[]) =>
  (): string[] => [made.consumer_key!, ...more];
const on =
  (...more: string[]) =>
  (): string[] => [made.account_id!, ...more];

/** In an order in which each finds what it needs. Every command of the program is here or in one of the lists below. */
export const CHANGES: Readonly<Record<string, Change>> = {
  migrate: { args: () => [], touches: () => ['schema'] },
  'user create': {
    args: () => ['ada', '--password-file', file('password')],
    touches: user('ada'),
    says: '--password-file',
  },
  'user password': { args: () => ['ada', '--generate'], touches: user('ada'), says: '--generate' },
  'user profile': {
    args: () => ['ada', '--name', 'Ada', '--verified', 'blue'],
    touches: user('ada'),
    says: '--name --verified blue',
  },
  'user totp': { args: () => ['ada', '--reset'], touches: user('ada'), says: '--reset' },
  'user suspend': { args: () => ['ben'], touches: user('ben') },
  'user resume': { args: () => ['ben'], touches: user('ben') },
  'user lock': { args: () => ['ben'], touches: user('ben') },
  'user unlock': { args: () => ['ben'], touches: user('ben') },
  'app create': {
    args: () => [
      'Reports',
      '--owner',
      'ada',
      '--website',
      'https://a.test',
      '--callback',
      'https://a.test/back',
      '--level',
      'read',
    ],
    touches: () => [...application(), `user:${made.ada}`],
    says: '--owner --website --callback --level read',
  },
  'app edit': { args: key('--name', 'Reports 2'), touches: application, says: '--name' },
  'app limits': { args: key('--webhooks', '20'), touches: application, says: '--webhooks 20' },
  'app regenerate-keys': { args: key(), touches: application },
  'app token': { args: key(), touches: () => [...application(), `token:${made.token_id}`] },
  'app bearer': { args: key(), touches: application },
  'app suspend': { args: key(), touches: application },
  'app resume': { args: key(), touches: application },
  'token create': {
    args: () => ['--app', made.consumer_key!, '--user', 'ben'],
    touches: () => [...application(), `user:${made.ben}`, `token:${made.token_id}`],
    says: '--app --user',
  },
  'account create': {
    args: () => ['Harbour Coffee', '--admin', 'ada', '--timezone', 'Europe/London'],
    touches: () => [`user:${made.ada}`, ...account()],
    says: '--admin --timezone',
  },
  'account role': {
    args: on('ben', '--role', 'AD_MANAGER', '--post-composer'),
    touches: () => account(`user:${made.ben}`),
    says: '--role AD_MANAGER --post-composer',
  },
  'account features': {
    args: on('--add', 'REACH_FREQUENCY_CAP'),
    touches: () => account('feature:REACH_FREQUENCY_CAP'),
    says: '--add',
  },
  'account fund': {
    args: on('--type', 'CREDIT_LINE', '--currency', 'EUR', '--credit-limit', '5000000000'),
    touches: () => account(`funding_instrument:${made.funding_instrument_id}`),
    says: '--type CREDIT_LINE --currency --credit-limit 5000000000',
  },
  'account limits': { args: on('--active-campaigns', '80'), touches: account, says: '--active-campaigns 80' },
  'account approve': { args: on('--status', 'UNDER_REVIEW'), touches: account, says: '--status UNDER_REVIEW' },
  'account import': { args: () => [file('accounts.json')], touches: () => ['account:imported1'] },
  'webhooks secret': { args: () => [WEBHOOK], touches: () => [`webhook:${WEBHOOK}`] },
  'webhooks resend': { args: () => [WEBHOOK, '--failed'], touches: () => [`webhook:${WEBHOOK}`], says: '--failed' },
  'publisher create': {
    args: () => ['Harbour News', '--environment', 'sandbox', '--may-explain'],
    touches: () => ['publisher:1'],
    says: '--environment sandbox --may-explain',
  },
  'publisher rotate': { args: () => ['1'], touches: () => ['publisher:1'] },
  'publisher disable': { args: () => ['1'], touches: () => ['publisher:1'] },
  'operator link': { args: () => ['--name', 'anna'], touches: () => ['operator:anna'], says: '--name' },
  'events emit': {
    args: () => ['profile.update.bio', '--user', 'ada', '--text', 'hunter2'],
    touches: user('ada'),
    says: '--user --text',
  },
  'import people': { args: () => [file('people.ndjson')], touches: () => ['people'] },
  'import posts': { args: () => [file('posts.ndjson')], touches: () => ['posts'] },
  'demo population': { args: () => ['--users', '10'], touches: () => ['people'], says: '--users 10' },
  'demo posts': { args: () => ['--count', '10'], touches: () => ['posts'], says: '--count 10' },
  'keys reseal': { args: () => [], touches: () => ['secrets'] },
  backup: { args: () => [file('all.tar')], touches: () => [`archive:${file('all.tar')}`] },
  copy: { args: () => ['--to', file('copy')], touches: () => ['database'], says: '--to' },
  restore: { args: () => [file('all.tar')], touches: () => [`archive:${file('all.tar')}`] },
};

/** Commands that read the database; they change nothing in it, as is held below. */
export const READS: Readonly<Record<string, () => readonly string[]>> = {
  'user list': () => [],
  'user show': () => ['ada'],
  'app list': () => [],
  'app show': key(),
  'account list': () => [],
  'account show': on(),
  'webhooks list': () => [],
  'publisher list': () => [],
  'webhooks deliveries': () => [WEBHOOK],
  'keys status': () => [],
  'audit list': () => [],
  nodes: () => [],
  'config print': () => [],
  doctor: () => [],
};

/** Forms of the commands above that only read. */
export const LOOKS: readonly (readonly [words: string, args: () => readonly string[]])[] = [
  ['user totp', () => ['ada']],
  ['app limits', key()],
  ['migrate', () => ['--dry-run']],
  ['restore', () => [file('all.tar'), '--verify']],
];

/** Commands that run a service, ask one, or compute; services record what they are asked to do. */
export const ELSEWHERE = [
  ...['dev', 'serve', 'health', 'call', 'sign', 'dev reset'],
  ...['list', 'take', 'restore', 'remove', 'export', 'import'].map((name) => `dev snapshot ${name}`),
  ...['now', 'set', 'advance', 'freeze', 'run'].map((name) => `dev clock ${name}`),
  ...['list', 'show', 'tail'].map((name) => `dev requests ${name}`),
  ...['list', 'add', 'remove'].map((name) => `dev faults ${name}`),
  ...['init', 'schema', 'export'].map((name) => `world ${name}`),
  ...['aliases init', 'completion'],
  ...['audience hash', 'audience upload', 'events listen', 'webhooks check'],
];
