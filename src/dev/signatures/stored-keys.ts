import type { SecretBox } from '../../base/secret-box.ts';
import type { AccessToken, Application, User } from '../../contract/store/credentials.ts';
import type { RequestToken } from '../../contract/store/grants.ts';
import { secretContext } from '../../contract/store/sealed-columns.ts';
import { isFinal, stateAt } from '../../features/auth/oauth1/request-token-states.ts';
import { bearerHash, headerSpellings } from '../../features/auth/oauth2/bearer-value.ts';
import type { ReadTransaction, Store } from '../../storage/unit-of-work.ts';
import type { KnownApplication, KnownToken, SentKeys } from './known-keys.ts';
import type { BearerState } from './other-schemes.ts';

/** Applications whose keys are compared at most, beside the one that a request names: those made first. */
const APPLICATIONS_MAX = 100;
/** Users whose tokens are compared at most, beside the owners of these applications: the first by name. */
const USERS_MAX = 20;

/**
 * The keys that the debugger compares with what a request sent: of applications, of tokens of their owners and of other
 * users, and of the token that was sent.
 * @param now UTC text.
 */
export async function storedKeys(
  store: Store,
  box: SecretBox,
  sent: SentKeys,
  now: string,
): Promise<KnownApplication[]> {
  const { applications, tokens, users, requestToken } = await store.read((tx) => readKeys(tx, sent));
  const accessToken = (each: AccessToken): KnownToken => {
    const user = users.get(each.user_id);
    return {
      name: user?.screen_name ?? each.user_id,
      token: each.token,
      tokenSecret: opened(box, each.token_secret, secretContext.token(each.id)),
      ...refusalOf(each, user),
    };
  };
  const ofRequest = requestToken && {
    name: 'a login',
    token: requestToken.token,
    tokenSecret: opened(box, requestToken.token_secret, secretContext.requestToken(requestToken.id)),
    isRequestToken: true,
    ...(isFinal(stateAt(requestToken, now)) && { refusal: 'request-token-ended' as const }),
  };
  return applications.map(({ id, name, consumer_key, consumer_secret, suspended }) => ({
    name,
    consumerKey: consumer_key,
    consumerSecret: box.open(consumer_secret, secretContext.application(id)),
    isSuspended: suspended === 1,
    tokens: [
      ...tokens.filter(({ application_id }) => application_id === id).map(accessToken),
      ...(ofRequest && requestToken.application_id === id ? [ofRequest] : []),
    ],
  }));
}

/** The state of a bearer token, as it was sent. */
export function storedBearer(store: Store, value: string): Promise<BearerState> {
  return store.read(async ({ bearerTokens, credentials }) => {
    for (const spelling of headerSpellings(value)) {
      const row = await bearerTokens.findByHash(bearerHash(spelling));
      if (!row) continue;
      if (row.outstanding === null) return 'revoked';
      const application = await credentials.findApplication(row.application_id);
      return application?.suspended === 1 ? 'suspended' : 'valid';
    }
    return 'unknown';
  });
}

function refusalOf({ revoked_at }: AccessToken, user: User | undefined): Pick<KnownToken, 'refusal'> {
  if (revoked_at !== null) return { refusal: 'token-revoked' };
  if (user?.suspended === 1) return { refusal: 'user-suspended' };
  return user?.locked === 1 ? { refusal: 'user-locked' } : {};
}

/** Secrets of what has ended may be gone. */
function opened(box: SecretBox, sealed: string, context: string): string {
  return sealed === '' ? '' : box.open(sealed, context);
}

interface StoredKeys {
  readonly applications: readonly Application[];
  readonly tokens: readonly AccessToken[];
  readonly users: ReadonlyMap<string, User>;
  readonly requestToken: RequestToken | undefined;
}

async function readKeys(tx: ReadTransaction, { consumerKey, token }: SentKeys): Promise<StoredKeys> {
  const { credentials } = tx;
  const named = isText(consumerKey) ? await credentials.findApplicationByKey(consumerKey) : undefined;
  const first = await credentials.listApplications({ after: '', limit: APPLICATIONS_MAX });
  const applications = named && !first.some(({ id }) => id === named.id) ? [named, ...first] : first;
  const tokens = new Map<string, AccessToken>();
  const holders = (await credentials.listUsers({ after: '', limit: USERS_MAX })).map(({ id }) => id);
  for (const holder of new Set([...holders, ...applications.map(({ owner_user_id }) => owner_user_id)])) {
    for (const each of await credentials.listTokensOf(holder)) tokens.set(each.id, each);
  }
  const isSent = token !== '' && isText(token);
  const sent = isSent ? await credentials.findToken(token) : undefined;
  if (sent) tokens.set(sent.id, sent);
  const users = new Map<string, User>();
  for (const id of new Set([...tokens.values()].map(({ user_id }) => user_id))) {
    const user = await credentials.findUser(id);
    if (user) users.set(id, user);
  }
  const requestToken = isSent ? await tx.requestTokens.find(token) : undefined;
  return { applications, tokens: [...tokens.values()], users, requestToken };
}

/** PostgreSQL refuses U+0000 in text, even in a query. */
function isText(value: string): boolean {
  return !/\p{Cc}/u.test(value);
}
