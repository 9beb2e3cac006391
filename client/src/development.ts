import type { ClientOptions } from './transport.ts';

/** Whose keys of a development server are taken. */
export interface DevelopmentChoice {
  readonly environment?: 'production' | 'sandbox' | undefined;
  /** An application by its name in `dev.json`, such as `messages` or `reader`; the first by default. */
  readonly app?: string | undefined;
  /** A user by the name there, such as `other`; the first by default. */
  readonly as?: string | undefined;
}

/** The options for a development server. @param file the contents of its `data/dev.json` */
export function developmentOptions(file: object, choice: DevelopmentChoice = {}): ClientOptions {
  const { environment = 'sandbox', app, as } = choice;
  const keys = file as Readonly<Record<string, string | undefined>>;
  const member = (name: string): string => {
    const value = keys[name];
    if (value === undefined) throw new RangeError(`data/dev.json has no ${name}`);
    return value;
  };
  const application = app ? `${app}_` : '';
  const user = `${application}${as ? `${as}_` : ''}`;
  return {
    url: member(environment === 'sandbox' ? 'sandbox_url' : 'base_url'),
    consumer: [member(`${application}consumer_key`), member(`${application}consumer_secret`)],
    token: [member(`${user}access_token`), member(`${user}access_token_secret`)],
  };
}
