import type { CredentialKind } from '../../contract/declare/operation.ts';
import type { MistakeName } from './mistakes.ts';
import type { OtherSecret, RequestSecrets } from './sent-request.ts';

/** An application whose secrets the debugger knows. */
export interface KnownApplication {
  readonly name: string;
  readonly consumerKey: string;
  readonly consumerSecret: string;
  readonly isSuspended?: boolean;
  readonly tokens: readonly KnownToken[];
}

/** A token of an application. */
export interface KnownToken {
  /** Whose it is. */
  readonly name: string;
  readonly token: string;
  /** Empty when it is not stored any more. */
  readonly tokenSecret: string;
  /** An access token unless this says otherwise. */
  readonly isRequestToken?: boolean;
  /** Why it is not accepted. */
  readonly refusal?: MistakeName;
}

/** The key and the token of a request; empty where it has none. */
export interface SentKeys {
  readonly consumerKey: string;
  readonly token: string;
}

/** The secrets that a request should be signed with, and the mistakes in its key and token. */
export interface FoundSecrets {
  /** Undefined for unknown keys and tokens. */
  readonly secrets: RequestSecrets | undefined;
  readonly mistakes: readonly MistakeName[];
}

/**
 * Finds the secrets that belong to what a request sent as consumer key and token, also when it sent something else in
 * their place.
 * @param needed the credential that the operation requires, if that is known.
 */
export function findSecrets(
  known: readonly KnownApplication[],
  { consumerKey, token }: SentKeys,
  needed?: CredentialKind,
): FoundSecrets {
  const mistakes: MistakeName[] = [];
  const byKey = known.find((each) => each.consumerKey === consumerKey);
  const holder = byKey ?? holderOf(known, consumerKey, token, mistakes);
  if (!holder) return { secrets: undefined, mistakes };
  if (holder.isSuspended) mistakes.push('application-suspended');
  const own = findToken(known, holder, token, mistakes);
  mistakes.push(...kindMistakes(token, own, needed));
  const { name, consumerKey: key, consumerSecret } = holder;
  const tokenSecret = own?.tokenSecret ?? '';
  const others = othersOf(known).filter(({ secret }) => secret !== consumerSecret && secret !== tokenSecret);
  return {
    secrets: { consumerKey: key, consumerSecret, token: own?.token ?? '', tokenSecret, others, name },
    mistakes,
  };
}

/** Every secret of these applications. */
export function secretsOf(known: readonly KnownApplication[]): string[] {
  return othersOf(known).map(({ secret }) => secret);
}

function holderOf(
  known: readonly KnownApplication[],
  consumerKey: string,
  token: string,
  mistakes: MistakeName[],
): KnownApplication | undefined {
  const bySecret = known.find((each) => each.consumerSecret === consumerKey);
  if (bySecret) {
    mistakes.push('secret-sent-as-consumer-key');
    return bySecret;
  }
  const isIt = (each: KnownToken): boolean =>
    consumerKey !== '' && (each.token === consumerKey || each.tokenSecret === consumerKey);
  const byToken = known.find(({ tokens }) => tokens.some(isIt));
  if (byToken) {
    mistakes.push('token-sent-as-consumer-key');
    return byToken;
  }
  // A key that is not sent at all is a parameter that is missing.
  if (consumerKey !== '') mistakes.push('unknown-consumer-key');
  return known.find(({ tokens }) => tokens.some((each) => each.token === token));
}

function findToken(
  known: readonly KnownApplication[],
  holder: KnownApplication,
  token: string,
  mistakes: MistakeName[],
): KnownToken | undefined {
  if (token === '') return undefined;
  const own = holder.tokens.find((each) => each.token === token);
  if (own) {
    if (own.refusal) mistakes.push(own.refusal);
    return own;
  }
  const swapped = holder.tokens.find((each) => each.tokenSecret === token);
  if (swapped) {
    mistakes.push('secret-sent-as-token');
    return swapped;
  }
  if (token === holder.consumerKey || token === holder.consumerSecret) {
    if (!mistakes.includes('token-sent-as-consumer-key')) mistakes.push('consumer-key-sent-as-token');
    return holder.tokens[0];
  }
  const foreign = known.flatMap(({ tokens }) => tokens).find((each) => each.token === token);
  mistakes.push(foreign ? 'token-of-another-application' : 'unknown-token');
  return foreign ?? holder.tokens[0];
}

/** The mistakes in the kind of the token. */
function kindMistakes(token: string, found: KnownToken | undefined, needed?: CredentialKind): MistakeName[] {
  if (needed === 'consumer') return token === '' ? [] : ['token-where-none-belongs'];
  if (needed === 'request-token') {
    if (token === '') return ['request-token-missing'];
    return found?.token === token && !found.isRequestToken ? ['access-token-instead-of-request-token'] : [];
  }
  if (token === '') return needed === undefined ? [] : ['token-missing'];
  return found?.token === token && found.isRequestToken && needed !== undefined
    ? ['request-token-instead-of-access-token']
    : [];
}

function othersOf(known: readonly KnownApplication[]): OtherSecret[] {
  return known.flatMap(({ name, consumerSecret, tokens }) => [
    { owner: `the consumer secret of ${name}`, kind: 'consumer' as const, secret: consumerSecret },
    ...tokens
      .filter(({ tokenSecret }) => tokenSecret !== '')
      .map(({ name: user, tokenSecret }) => ({
        owner: `the token secret of ${user} for ${name}`,
        kind: 'token' as const,
        secret: tokenSecret,
      })),
  ]);
}
