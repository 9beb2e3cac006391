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
import { CommandFailed } from './failure.ts';
import { oneLine, print, printFields } from './output.ts';
import { onDatabase, settingsFrom } from './setting-options.ts';
import { type RecordedRegistrar, requireApplication, requireUser, runRead, runWrite } from './units-of-work.ts';

/** `barker app`: the same as the pages at `/developer/apps`, for all applications. @source decision 95 */
export function appCommand(command: Command): void {
  const create = command.command('create').description('Register an application').argument('<name>');
  addApplicationOptions(create.requiredOption('--owner <user-name>', 'User who owns the application'));
  onDatabase(
    create,
    'app create Reports --owner ada --website https://reports.example --level read-write \\\n    --callback https://reports.example/back',
  ).action((name: string) => createApp(create, name));

  const list = command.command('list').description('List applications');
  list.option('--owner <user-name>', 'Only applications of this user');
  onDatabase(list, 'app list --owner ada').action(() => listApps(list));

  const show = of(
    command,
    'show',
    'Show an application, its token counts by access level, and users whose tokens have another level',
  );
  show.action((key: string) => showApp(show, key));

  const edit = of(command, 'edit', 'Change an application; existing tokens keep their access level', '--no-sign-in');
  addApplicationOptions(edit.option('--name <name>', 'Name')).action((key: string) => editApp(edit, key));

  const keys = of(
    command,
    'regenerate-keys',
    'Replace the consumer key and secret; the old ones stop working at once, user tokens remain valid',
  );
  keys.action((key: string) => onApplication(keys, key, regenerate));

  const token = of(command, 'token', 'Issue an access token for the owner; revokes earlier ones');
  token.action((key: string) => onApplication(token, key, ownToken));

  const bearer = of(command, 'bearer', 'Replace the bearer token; revokes the earlier one');
  bearer.option('--revoke', 'Only revoke it');
  bearer.action((key: string) => onApplication(bearer, key, bearer.opts().revoke ? removeBearer : newBearer));

  const limits = of(command, 'limits', 'Show or set the limits of an application', '--webhooks 20');
  for (const name of APPLICATION_LIMITS) {
    limits.option(`--${name.replaceAll('_', '-')} <n|default>`, LIMIT_NAMES[name]);
  }
  limits.action((key: string) => limitsOf(limits, key));

  const suspend = of(command, 'suspend', 'Suspend an application: all its requests are refused');
  suspend.action((key: string) => onApplication(suspend, key, (registrar, app) => setSuspension(registrar, app, true)));

  const resume = of(command, 'resume', 'Lift the suspension of an application');
  resume.action((key: string) => onApplication(resume, key, (registrar, app) => setSuspension(registrar, app, false)));
}

function of(command: Command, name: string, about: string, options = ''): Command {
  const example = `app ${name} PcFZ1pQkS3WbXgY7mUo2aRt9L ${options}`.trimEnd();
  return onDatabase(command.command(name).description(about).argument('<consumer-key>'), example);
}

async function createApp(command: Command, name: string): Promise<void> {
  const draft = draftFromOptions(command, { ...EMPTY_DRAFT, name });
  const made = await runWrite(command, async (registrar, { callback_schemes: schemes }) => {
    insistOn(draft, { schemes, registered: [] });
    const { id: owner } = await requireUser(registrar.tx, command.opts().owner);
    const registered = await registerApplication(registrar, owner, draft);
    registrar.addTarget('application', registered.id);
    registrar.addTarget('user', owner);
    return registered;
  });
  printFields({ application_id: made.id, consumer_key: made.consumerKey, consumer_secret: made.consumerSecret });
}

async function listApps(command: Command): Promise<void> {
  const named: string | undefined = command.opts().owner;
  const rows = await runRead(command, async ({ tx }) =>
    listAllApplications(tx, named === undefined ? undefined : (await requireUser(tx, named)).id),
  );
  for (const { consumer_key, access_level, suspended: isSuspended, name } of rows) {
    print(`${consumer_key}\t${access_level}\t${isSuspended ? 'suspended' : 'active'}\t${oneLine(name)}\n`);
  }
}

async function showApp(command: Command, key: string): Promise<void> {
  const fields = await runRead(command, async ({ tx }) => {
    const application = await requireApplication(tx, key);
    const { id, consumer_secret, owner_user_id, callbacks, demo, ...columns } = application;
    const owner = await tx.credentials.findUser(owner_user_id);
    const counts = await tx.credentials.listTokenCounts(id);
    const beside = await tx.credentials.listOtherTokens(id, application.access_level, 1000);
    const values: Record<string, string> = { application_id: id, owner: owner?.screen_name ?? '' };
    for (const [name, value] of Object.entries(columns)) values[name] = String(value);
    (JSON.parse(callbacks) as string[]).forEach((callback, index) => {
      values[`callback_${index + 1}`] = callback;
    });
    for (const { access_level, count } of counts) values[`tokens_${access_level}`] = String(count);
    for (const { screen_name, access_level } of beside) values[`other_level_${screen_name}`] = access_level;
    return values;
  });
  printFields(fields);
}

async function editApp(command: Command, key: string): Promise<void> {
  await onApplication(command, key, async ({ tx }, application, { callback_schemes: schemes }) => {
    const { name } = command.opts();
    const before = draftOf(application);
    const draft = draftFromOptions(command, { ...before, ...(name !== undefined && { name }) });
    insistOn(draft, { schemes, registered: before.callbacks });
    await changeApplication(tx, application.id, draft);
    return { consumer_key: application.consumer_key };
  });
}

type Fields = Readonly<Record<string, string>>;

/** Replaces the consumer key and secret. @source decision 99 */
async function regenerate(registrar: RecordedRegistrar, { id, consumer_key }: Application): Promise<Fields> {
  const keys = (await regenerateKeys(registrar, id, consumer_key))!;
  return { consumer_key: keys.consumerKey, consumer_secret: keys.consumerSecret };
}

/** Issues a token for the owner of the application. @source decision 100 */
async function ownToken(registrar: RecordedRegistrar, application: Application): Promise<Fields> {
  const { id, token, tokenSecret } = await issueOwnerToken(registrar, application);
  registrar.addTarget('token', id);
  return { user_id: application.owner_user_id, access_token: token, access_token_secret: tokenSecret };
}

async function newBearer(registrar: RecordedRegistrar, { id }: Application): Promise<Fields> {
  return { bearer_token: await regenerateBearer(registrar, id) };
}

async function removeBearer({ tx, now }: RecordedRegistrar, { id, name }: Application): Promise<Fields> {
  if (!(await revokeBearer(tx, id, now))) throw new CommandFailed(`${name} has no bearer token`);
  return { revoked: 'yes' };
}

/** Suspends an application or lifts the suspension. @source decision 101 */
async function setSuspension({ tx }: RecordedRegistrar, { id }: Application, isSuspended: boolean): Promise<Fields> {
  await suspendApplication(tx, id, isSuspended);
  return { suspended: isSuspended ? 'yes' : 'no' };
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

function insistOn(draft: ApplicationDraft, policy: CallbackPolicy): void {
  const errors = validateDraft(draft, policy);
  if (errors.length > 0) throw new CommandFailed(errors.map(({ message }) => message).join(' '), 2);
}

const LIMIT_NAMES: Readonly<Record<ApplicationLimit, string>> = {
  subscriptions: 'Event subscriptions',
  stream_connections: 'Concurrent streams',
  stream_events_per_s: 'Events a second and stream',
  webhooks: 'Webhooks',
};

const LIMIT_MAX = 1_000_000_000;

/** Prints the effective limits of an application, after applying changes. @source decision 345 */
async function limitsOf(command: Command, key: string): Promise<void> {
  const input = command.opts<Record<string, string | undefined>>();
  const settings = settingsFrom(command, 'serve', true);
  const usual = defaultLimits(settings);
  const effective = async (tx: ReadTransaction, id: string): Promise<Fields> => {
    const own = await tx.applicationLimits.find(id);
    return Object.fromEntries(APPLICATION_LIMITS.map((name) => [name, String(own[name] ?? usual[name])]));
  };
  const changes = APPLICATION_LIMITS.flatMap((name) => {
    const text = input[name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())];
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
  throw new CommandFailed(`${name} must be a number from ${least} to ${LIMIT_MAX}, or default`, 2);
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

/** Adds the options that describe an application. */
export function addApplicationOptions(command: Command): Command {
  for (const [flags, about] of Object.values(TEXTS)) command.option(flags, about);
  command.addOption(new Option('--level <level>', 'Access level').choices(ACCESS_LEVELS));
  for (const [name, about] of Object.values(SWITCHES)) {
    command.option(`--${name}`, about).addOption(new Option(`--no-${name}`).hideHelp());
  }
  return command;
}

/** The draft with the changes of a command's options; other members keep their values. */
export function draftFromOptions(command: Command, before: ApplicationDraft): ApplicationDraft {
  const options = command.opts();
  const changes: [member: string, value: unknown][] = [['access_level', options.level]];
  for (const [member, [flags]] of Object.entries(TEXTS)) {
    changes.push([member, options[camel(/--([\w-]+)/.exec(flags)![1]!)]]);
  }
  for (const [member, [name]] of Object.entries(SWITCHES)) {
    // An option with a negation defaults to true, so only explicit values count.
    const isSaid = command.getOptionValueSource(camel(name)) === 'cli';
    if (isSaid) changes.push([member, options[camel(name)] ? 1 : 0]);
  }
  return { ...before, ...Object.fromEntries(changes.filter(([, value]) => value !== undefined)) };
}

/** The property name of an option. */
function camel(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
