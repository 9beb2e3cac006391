import { type Command, Option } from 'commander';
import { ACCESS_LEVELS, type ApplicationDraft } from '../contract/store/credentials.ts';

/** Options of texts and lists, by the member that they say something about. */
const TEXTS = {
  description: ['--description <text>', 'What users are told about it'],
  website_url: ['--website <address>', 'Its site, which users are shown'],
  callbacks: ['--callback <address...>', 'Addresses that sign-in may return to; up to ten'],
  organization_name: ['--organization <name>', 'Who publishes it'],
  organization_url: ['--organization-url <address>', 'The site of the organization'],
  terms_url: ['--terms <address>', 'Its terms'],
  privacy_url: ['--privacy <address>', 'Its privacy policy'],
} as const satisfies Partial<Record<keyof ApplicationDraft, readonly [flags: string, about: string]>>;

/** Options that are on or off. */
const SWITCHES = {
  sign_in: ['sign-in', 'Users who agreed once are let through without being asked again'],
  extra_query: ['extra-query', 'A callback registered without a query string also matches with one'],
  native: ['native', 'A program without a web address: users bring back a PIN, callbacks are refused'],
  email_access: ['email-access', 'Users are asked to let it see their e-mail address; needs terms and privacy policy'],
} as const satisfies Partial<Record<keyof ApplicationDraft, readonly [name: string, about: string]>>;

/** Gives a command the options that say what an application is. */
export function addApplicationOptions(command: Command): Command {
  for (const [flags, about] of Object.values(TEXTS)) command.option(flags, about);
  command.addOption(new Option('--level <level>', 'What it may do').choices(ACCESS_LEVELS));
  for (const [name, about] of Object.values(SWITCHES)) {
    command.option(`--${name}`, about).addOption(new Option(`--no-${name}`).hideHelp());
  }
  return command;
}

/** What the options of a command change of an application; what was not said stays as it is in `before`. */
export function draftFromOptions(command: Command, before: ApplicationDraft): ApplicationDraft {
  const options = command.opts();
  const changes: [member: string, value: unknown][] = [['access_level', options.level]];
  for (const [member, [flags]] of Object.entries(TEXTS)) {
    changes.push([member, options[camel(/--([\w-]+)/.exec(flags)![1]!)]]);
  }
  for (const [member, [name]] of Object.entries(SWITCHES)) {
    // An option with a negation is on when nothing is said, so only what was written counts.
    const isSaid = command.getOptionValueSource(camel(name)) === 'cli';
    if (isSaid) changes.push([member, options[camel(name)] ? 1 : 0]);
  }
  return { ...before, ...Object.fromEntries(changes.filter(([, value]) => value !== undefined)) };
}

/** How the command line names what an option holds. */
function camel(name: string): string {
  return name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
