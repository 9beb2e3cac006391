import { type Command, Option } from 'commander';
import { APPLICATION_LIMITS, type ApplicationLimit, defaultLimits } from '../contract/declare/application-limits.ts';
import { ACCESS_LEVELS, type Application, type ApplicationDraft } from '../contract/store/credentials.ts';
import {
  changeApplication,
  issueOwnerToken,
  regenerateBearer,
  regenerateKeys,
  revokeBearer,
  suspendApplication,
} from '../features/auth/applications/administration.ts';
import {
  type CallbackPolicy,
  draftOf,
  EMPTY_DRAFT,
  validateDraft,
} from '../features/auth/applications/application-draft.ts';
import { listAllApplications } from '../features/auth/applications/list-applications.ts';
import { registerApplication } from '../features/platform/registration.ts';
import type { Settings } from '../settings.ts';
import type { ReadTransaction } from '../storage/unit-of-work.ts';
import { CommandFailed, UsageError } from './failure.ts';
import { printFields, printRow } from './output.ts';
import { databaseCommand, settingsFrom } from './setting-options.ts';
import { type RecordedRegistrar, requireApplication, requireUser, runRead, runWrite } from './units-of-work.ts';

/** `barker app`: the pages at `/developer/apps`, for all applications. @source decision 95 */
export function configure(command: Command): void {
  const example =
    'Reports --owner ada --website https://reports.example --level read-write \\\n    --callback https://reports.example/back';
  addApplicationOptions(
    databaseCommand(command, 'create <name>', 'Register an application', example, createApp).requiredOption(
      '--owner <user-name>',
      'User who owns the application',
    ),
  );
  databaseCommand(command, 'list', 'List applications', '--owner ada', listApps).option(
    '--owner <user-name>',
    'Only applications of this user',
  );
  const onKey = (name: string, about: string, run: (command: Command, key: string) => Promise<void>, options = '') =>
    databaseCommand(command, `${name} <consumer-key>`, about, `PcFZ1pQkS3WbXgY7mUo2aRt9L ${options}`, run);
  onKey(
    'show',
    'Show an application, its token counts by access level, and users whose tokens have another level',
    showApp,
  );
  addApplicationOptions(
    onKey('edit', 'Change an application; existing tokens keep their access level', editApp, '--no-sign-in').option(
      '--name <name>',
      'Name',
    ),
  );
  onKey(
    'regenerate-keys',
    'Replace the consumer key and secret; the old ones stop working at once, user tokens remain valid',
    replaceKeys,
  );
  onKey('token', 'Issue an access token for the owner; revokes earlier ones', createOwnerToken);
  onKey('bearer', 'Replace the bearer token; revokes the earlier one', changeBearer).option(
    '--revoke',
    'Only revoke it',
  );
  const limits = onKey('limits', 'Show or set the limits of an application', showOrSetLimits, '--webhooks 20');
  for (const name of APPLICATION_LIMITS) {
    limits.option(`--${name.replaceAll('_', '-')} <n|default>`, LIMIT_NAMES[name]);
  }
  const suspension = (isSuspended: boolean) => (own: Command, key: string) => setSuspension(own, key, isSuspended);
  onKey('suspend', 'Suspend an application: all its requests are refused', suspension(true));
  onKey('resume', 'Lift the suspension of an application', suspension(false));
}

async function createApp(command: Command, name: string): Promise<void> {
  const draft = draftFromOptions(command, { ...EMPTY_DRAFT, name });
  const created = await runWrite(command, async (registrar, { callback_schemes: schemes }) => {
    checkDraft(draft, { schemes, registered: [] });
    const { id: owner } = await requireUser(registrar.tx, command.opts().owner);
    const registered = await registerApplication(registrar, owner, draft);
    registrar.addTarget('application', registered.id);
    registrar.addTarget('user', owner);
    return registered;
  });
  printFields({
    application_id: created.id,
    consumer_key: created.consumerKey,
    consumer_secret: created.consumerSecret,
  });
}

async function listApps(command: Command): Promise<void> {
  const named: string | undefined = command.opts().owner;
  const rows = await runRead(command, async ({ tx }) =>
    listAllApplications(tx, named === undefined ? undefined : (await requireUser(tx, named)).id),
  );
  for (const { consumer_key, access_level, suspended: isSuspended, name } of rows) {
    printRow(consumer_key, access_level, isSuspended ? 'suspended' : 'active', name);
  }
}

async function showApp(command: Command, key: string): Promise<void> {
  const fields = await runRead(command, async ({ tx }) => {
    const application = await requireApplication(tx, key);
    const { id, consumer_secret, owner_user_id, callbacks, demo, ...columns } = application;
    const owner = await tx.credentials.findUser(owner_user_id);
    const counts = await tx.credentials.listTokenCounts(id);
    const others = await tx.credentials.listOtherTokens(id, application.access_level, 1000);
    const values: Record<string, string> = { application_id: id, owner: owner?.screen_name ?? '' };
    for (const [name, value] of Object.entries(columns)) values[name] = String(value);
    (JSON.parse(callbacks) as string[]).forEach((callback, index) => {
      values[`callback_${index + 1}`] = callback;
    });
    for (const { access_level, count } of counts) values[`tokens_${access_level}`] = String(count);
    for (const { screen_name, access_level } of others) values[`other_level_${screen_name}`] = access_level;
    return values;
  });
  printFields(fields);
}

async function editApp(command: Command, key: string): Promise<void> {
  await onApplication(command, key, async ({ tx }, application, { callback_schemes: schemes }) => {
    const { name } = command.opts();
    const before = draftOf(application);
    const draft = draftFromOptions(command, { ...before, ...(name !== undefined && { name }) });
    checkDraft(draft, { schemes, registered: before.callbacks });
    await changeApplication(tx, application.id, draft);
    return { consumer_key: application.consumer_key };
  });
}

type Fields = Readonly<Record<string, string>>;

/** Replaces the consumer key and secret. @source decision 99 */
function replaceKeys(command: Command, key: string): Promise<void> {
  return onApplication(command, key, async (registrar, { id, consumer_key }) => {
    const { consumerKey, consumerSecret } = (await regenerateKeys(registrar, id, consumer_key))!;
    return { consumer_key: consumerKey, consumer_secret: consumerSecret };
  });
}

/** Issues a token for the owner of the application. @source decision 100 */
function createOwnerToken(command: Command, key: string): Promise<void> {
  return onApplication(command, key, async (registrar, application) => {
    const { id, token, tokenSecret } = await issueOwnerToken(registrar, application);
    registrar.addTarget('token', id);
    return { user_id: application.owner_user_id, access_token: token, access_token_secret: tokenSecret };
  });
}

function changeBearer(command: Command, key: string): Promise<void> {
  return onApplication(command, key, async (registrar, { id, name }) => {
    if (!command.opts().revoke) return { bearer_token: await regenerateBearer(registrar, id) };
    if (!(await revokeBearer(registrar.tx, id, registrar.now))) throw new CommandFailed(`${name} has no bearer token`);
    return { revoked: 'yes' };
  });
}

/** Suspends an application or lifts the suspension. @source decision 101 */
function setSuspension(command: Command, key: string, isSuspended: boolean): Promise<void> {
  return onApplication(command, key, async ({ tx }, { id }) => {
    await suspendApplication(tx, id, isSuspended);
    return { suspended: isSuspended ? 'yes' : 'no' };
  });
}

/** Changes the application with a consumer key and prints the result. */
async function onApplication(
  command: Command,
  key: string,
  work: (registrar: RecordedRegistrar, application: Application, settings: Settings) => Promise<Fields>,
): Promise<void> {
  const fields = await runWrite(command, async (registrar, settings) => {
    const application = await requireApplication(registrar.tx, key);
    registrar.addTarget('application', application.id);
    return work(registrar, application, settings);
  });
  printFields(fields);
}

function checkDraft(draft: ApplicationDraft, policy: CallbackPolicy): void {
  const errors = validateDraft(draft, policy);
  if (errors.length > 0) throw new UsageError(errors.map(({ message }) => message).join(' '));
}

const LIMIT_NAMES: Readonly<Record<ApplicationLimit, string>> = {
  subscriptions: 'Event subscriptions',
  stream_connections: 'Concurrent streams',
  stream_events_per_s: 'Events a second and stream',
  webhooks: 'Webhooks',
};

const LIMIT_MAX = 1_000_000_000;

/** Prints the effective limits of an application, after applying changes. @source decision 345 */
async function showOrSetLimits(command: Command, key: string): Promise<void> {
  const input = command.opts<Record<string, string | undefined>>();
  const settings = settingsFrom(command, 'serve', true);
  const usual = defaultLimits(settings);
  const effective = async (tx: ReadTransaction, id: string): Promise<Fields> => {
    const own = await tx.applicationLimits.find(id);
    return Object.fromEntries(APPLICATION_LIMITS.map((name) => [name, String(own[name] ?? usual[name])]));
  };
  const changes = APPLICATION_LIMITS.flatMap((name) => {
    const text = input[camel(name.replaceAll('_', '-'))];
    return text === undefined ? [] : [{ name, value: text === 'default' ? null : parseLimit(name, text) }];
  });
  if (changes.length === 0) {
    return printFields(await runRead(command, async ({ tx }) => effective(tx, (await requireApplication(tx, key)).id)));
  }
  await onApplication(command, key, async ({ tx }, { id }) => {
    await tx.credentials.lockApplication(id);
    for (const { name, value } of changes) await tx.applicationLimits.set(id, name, value);
    return effective(tx, id);
  });
}

function parseLimit(name: ApplicationLimit, text: string): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  // A stream that sends no events would never end.
  const least = name === 'stream_events_per_s' ? 1 : 0;
  if (value >= least && value <= LIMIT_MAX) return value;
  throw new UsageError(`${name} must be a number from ${least} to ${LIMIT_MAX}, or default`);
}

/** Options with values, by the draft member that they set. */
const TEXTS = {
  description: ['--description <text>', 'Description for users'],
  website_url: ['--website <address>', 'Web site, shown to users'],
  callbacks: ['--callback <address...>', 'Callback URLs of the login, up to ten'],
  organization_name: ['--organization <name>', 'Name of the publisher'],
  organization_url: ['--organization-url <address>', 'Web site of the publisher'],
  terms_url: ['--terms <address>', 'URL of the terms of service'],
  privacy_url: ['--privacy <address>', 'URL of the privacy policy'],
} as const satisfies Partial<Record<keyof ApplicationDraft, readonly [flags: string, about: string]>>;

/** Boolean options, by the draft member that they set. */
const SWITCHES = {
  sign_in: ['sign-in', 'Users who authorized it once are not asked again'],
  extra_query: ['extra-query', 'Callbacks registered without a query string also match with one'],
  native: ['native', 'Native application: users enter a PIN, callbacks are not allowed'],
  email_access: ['email-access', 'Requests access to the e-mail address; needs --terms and --privacy'],
} as const satisfies Partial<Record<keyof ApplicationDraft, readonly [name: string, about: string]>>;

function addApplicationOptions(command: Command): Command {
  for (const [flags, about] of Object.values(TEXTS)) command.option(flags, about);
  command.addOption(new Option('--level <level>', 'Access level').choices(ACCESS_LEVELS));
  for (const [name, about] of Object.values(SWITCHES)) {
    command.option(`--${name}`, about).addOption(new Option(`--no-${name}`).hideHelp());
  }
  return command;
}

/** Applies the options of a command to a draft. */
function draftFromOptions(command: Command, before: ApplicationDraft): ApplicationDraft {
  const options = command.opts();
  const changes: [member: string, value: unknown][] = [['access_level', options.level]];
  for (const [member, [flags]] of Object.entries(TEXTS)) {
    changes.push([member, options[camel(/--([\w-]+)/.exec(flags)![1]!)]]);
  }
  for (const [member, [name]] of Object.entries(SWITCHES)) {
    // An option with a negation defaults to true, so only explicit values count.
    if (command.getOptionValueSource(camel(name)) === 'cli') changes.push([member, options[camel(name)] ? 1 : 0]);
  }
  return { ...before, ...Object.fromEntries(changes.filter(([, value]) => value !== undefined)) };
}

/** The property name of an option. */
function camel(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
