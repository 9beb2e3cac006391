import { type Command, Option } from 'commander';
import { ACCESS_LEVELS, type ApplicationDraft } from '../contract/store/credentials.ts';

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
