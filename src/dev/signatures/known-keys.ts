import type { NamedMistake } from './mistakes.ts';
import type { OtherSecret, RequestSecrets } from './sent-request.ts';

/** An application whose secrets the debugger knows. */
export interface KnownApplication {
  readonly name: string;
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly tokens: readonly KnownToken[];
}

/** A token of an application. */
export interface KnownToken {
  /** Whose it is. */
  readonly name: string;
  readonly token: string;
  readonly tokenSecret: string;
}

/** The secrets that a request should be signed with, and what is wrong with the key and the token that were sent. */
export interface FoundSecrets {
  /** Undefined when neither the key nor the token tells. */
  readonly secrets: RequestSecrets | undefined;
  readonly mistakes: readonly NamedMistake[];
}

/**
 * Finds the secrets that belong to what a request sent as consumer key and token, also when it sent something else in
 * their place.
 * @param token empty when none was sent.
 */
export function findSecrets(known: readonly KnownApplication[], consumerKey: string, token: string): FoundSecrets {
  const mistakes: NamedMistake[] = [];
  const byKey = known.find((each) => each.consumerKey === consumerKey);
  const holder = byKey ?? holderOf(known, consumerKey, token, mistakes);
  if (!holder) return { secrets: undefined, mistakes };
  const own = findToken(known, holder, token, mistakes);
  const { name, consumerKey: key, consumerSecret } = holder;
  const tokenSecret = own?.tokenSecret ?? '';
  const others = othersOf(known).filter(({ secret }) => secret !== consumerSecret && secret !== tokenSecret);
  if (!byKey && mistakes.length === 0) mistakes.push(UNKNOWN_KEY);
  return {
    secrets: { consumerKey: key, consumerSecret, token: own?.token ?? '', tokenSecret, others, name },
    mistakes,
  };
}

function holderOf(
  known: readonly KnownApplication[],
  consumerKey: string,
  token: string,
  mistakes: NamedMistake[],
): KnownApplication | undefined {
  const bySecret = known.find((each) => each.consumerSecret === consumerKey);
  if (bySecret) {
    mistakes.push(SECRET_AS_KEY);
    return bySecret;
  }
  const byToken = known.find(({ tokens }) =>
    tokens.some((each) => each.token === consumerKey || each.tokenSecret === consumerKey),
  );
  if (byToken) {
    mistakes.push(TOKEN_AS_KEY);
    return byToken;
  }
  mistakes.push(UNKNOWN_KEY);
  return known.find(({ tokens }) => tokens.some((each) => each.token === token));
}

function findToken(
  known: readonly KnownApplication[],
  holder: KnownApplication,
  token: string,
  mistakes: NamedMistake[],
): KnownToken | undefined {
  if (token === '') return undefined;
  const own = holder.tokens.find((each) => each.token === token);
  if (own) return own;
  const swapped = holder.tokens.find((each) => each.tokenSecret === token);
  if (swapped) {
    mistakes.push(SECRET_AS_TOKEN);
    return swapped;
  }
  if (token === holder.consumerKey || token === holder.consumerSecret) {
    if (!mistakes.includes(TOKEN_AS_KEY)) mistakes.push(KEY_AS_TOKEN);
    return holder.tokens[0];
  }
  const foreign = known.flatMap(({ tokens }) => tokens).find((each) => each.token === token);
  mistakes.push(foreign ? TOKEN_OF_ANOTHER : UNKNOWN_TOKEN);
  return foreign ?? holder.tokens[0];
}

function othersOf(known: readonly KnownApplication[]): OtherSecret[] {
  return known.flatMap(({ name, consumerSecret, tokens }) => [
    { owner: `the consumer secret of ${name}`, kind: 'consumer' as const, secret: consumerSecret },
    ...tokens.map(({ name: user, tokenSecret }) => ({
      owner: `the token secret of ${user} for ${name}`,
      kind: 'token' as const,
      secret: tokenSecret,
    })),
  ]);
}

const UNKNOWN_KEY: NamedMistake = {
  name: 'unknown-consumer-key',
  text: 'No application has this consumer key.',
  remedy: 'Copy the consumer key again; new keys replace the old ones when they are regenerated.',
};
const SECRET_AS_KEY: NamedMistake = {
  name: 'secret-sent-as-consumer-key',
  text: 'A consumer secret was sent as oauth_consumer_key.',
  remedy: 'Swap key and secret. Secrets are never sent: replace this one.',
};
const TOKEN_AS_KEY: NamedMistake = {
  name: 'token-sent-as-consumer-key',
  text: 'A token was sent as oauth_consumer_key.',
  remedy: 'Send the consumer key as oauth_consumer_key and the access token as oauth_token.',
};
const SECRET_AS_TOKEN: NamedMistake = {
  name: 'secret-sent-as-token',
  text: 'A token secret was sent as oauth_token.',
  remedy: 'Swap token and token secret. Secrets are never sent: replace this one.',
};
const KEY_AS_TOKEN: NamedMistake = {
  name: 'consumer-key-sent-as-token',
  text: 'The consumer key was sent as oauth_token.',
  remedy: 'Send the access token as oauth_token.',
};
const TOKEN_OF_ANOTHER: NamedMistake = {
  name: 'token-of-another-application',
  text: 'The token was issued to another application.',
  remedy: 'Use a token that was issued to the application of the consumer key.',
};
const UNKNOWN_TOKEN: NamedMistake = {
  name: 'unknown-token',
  text: 'The token is not known: it was revoked, or replaced by a new one.',
  remedy: 'Use the present token of the user, or have access granted again.',
};
