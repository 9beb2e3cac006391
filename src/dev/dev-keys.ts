import { LEVEL_APPLICATIONS, LEVELS } from './demo-application.ts';
import type { DevFile } from './dev-folder.ts';
import type { KnownApplication } from './signatures/known-keys.ts';

/** The keys of an application, and a token of a user for it. */
export interface DevKeys {
  readonly consumer_key: string;
  readonly consumer_secret: string;
  readonly access_token: string;
  readonly access_token_secret: string;
}

type Keys = Readonly<Record<string, string | undefined>>;

/**
 * The keys of an application and a user: `demo` and `first` are the first ones, `other` is the second user. Of the world
 * of a file, any by name.
 * @returns an explanation when there are none.
 */
export function devKeysOf(file: DevFile, { app, as }: { readonly app: string; readonly as: string }): DevKeys | string {
  const keys = file as unknown as Keys;
  const application = app === 'demo' && keys.demo_consumer_key === undefined ? '' : `${app}_`;
  const user = as === 'first' && keys.first_user_id === undefined ? '' : `${as}_`;
  const consumer_key = keys[`${application}consumer_key`];
  if (consumer_key === undefined) {
    const level = LEVELS.find((each) => each === app);
    // The file was written by an earlier release.
    if (level && !file.world) return `has no keys of ${LEVEL_APPLICATIONS[level].whatFor}; start barker dev again`;
    return `has no application ${app}; it has ${namesIn(keys, 'consumer_key', ['demo'])}`;
  }
  const access_token = keys[`${application}${user}access_token`];
  if (access_token === undefined) {
    if (keys[`${user}user_id`] !== undefined) {
      const create = `barker token create --app ${consumer_key} --user ${keys[`${user}username`]}`;
      return `has no token of the user ${as} for this application; this issues one: ${create}`;
    }
    return `has no user ${as}; it has ${namesIn(keys, 'user_id', ['first'])}`;
  }
  return {
    consumer_key,
    access_token,
    consumer_secret: keys[`${application}consumer_secret`]!,
    access_token_secret: keys[`${application}${user}access_token_secret`]!,
  };
}

function namesIn(keys: Keys, suffix: string, first: readonly string[]): string {
  const found = Object.keys(keys).flatMap((name) =>
    name.endsWith(`_${suffix}`) ? name.slice(0, -suffix.length - 1) : [],
  );
  return [...first, ...found].join(', ');
}

/** The applications of `dev.json`, with their tokens. */
export function devApplications(file: DevFile): KnownApplication[] {
  const keys = file as unknown as Keys;
  const isOfFile = file.world !== undefined;
  const named = (suffix: string): string[] => namesIn(keys, suffix, []).split(', ');
  const users = isOfFile ? named('user_id').filter((name) => name !== 'other') : ['', 'other'];
  // A file that was written by an earlier release lacks some.
  const applications = isOfFile ? named('consumer_key') : ['', ...LEVELS];
  return applications.flatMap((application) => {
    const prefix = application === '' ? '' : `${application}_`;
    const consumerKey = keys[`${prefix}consumer_key`];
    if (consumerKey === undefined) return [];
    const level = LEVELS.find((each) => each === application);
    const known = isOfFile ? `the application ${application}` : level ? LEVEL_APPLICATIONS[level].whatFor : undefined;
    const tokens = users.flatMap((user) => {
      const inner = user === '' ? prefix : `${prefix}${user}_`;
      const token = keys[`${inner}access_token`];
      const name = keys[user === '' ? 'username' : `${user}_username`]!;
      return token === undefined ? [] : [{ name, token, tokenSecret: keys[`${inner}access_token_secret`]! }];
    });
    const consumerSecret = keys[`${prefix}consumer_secret`]!;
    return [{ name: known ?? 'the demo application', consumerKey, consumerSecret, tokens }];
  });
}
