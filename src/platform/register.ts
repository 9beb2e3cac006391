import { alphanumeric, type Random } from '../base/random.ts';
import type { SecretBox } from '../base/secret-box.ts';
import { type AccessLevel, secretContext } from '../contract/credentials.ts';
import type { Writing } from '../contract/store.ts';

/** Numbers of users, applications and tokens begin above this; user ids are decimal text. */
const USERS_FROM = 900_000_001;

/** The id of the user who was registered first, when there are any. */
export const FIRST_USER = String(USERS_FROM);

/** What registering works with. `random` makes keys and secrets. */
export interface Registrar {
  readonly tx: Writing;
  readonly box: SecretBox;
  readonly random: Random;
  /** UTC text. */
  readonly now: string;
}

/**
 * Registers a user; the answer is the id. The password comes hashed, because hashing is too slow for a unit of work.
 * @source authentication gaps 3.1
 */
export async function registerUser(
  { tx, now }: Registrar,
  user: { readonly screenName: string; readonly name: string; readonly passwordHash: string },
): Promise<string> {
  const id = String(await tx.takeNumbers('user', USERS_FROM, 1));
  await tx.credentials.addUser({
    id,
    screen_name: user.screenName,
    name: user.name,
    password_hash: user.passwordHash,
    suspended: 0,
    created_at: now,
  });
  return id;
}

/** Registers an application; the answer has the secret, which is stored sealed. @source authentication gaps 3.1 and 4 */
export async function registerApplication(
  { tx, box, random, now }: Registrar,
  application: {
    readonly owner: string;
    readonly name: string;
    readonly level: AccessLevel;
    readonly callbacks: readonly string[];
    readonly signIn: boolean;
    readonly demo: boolean;
  },
): Promise<{ id: string; consumerKey: string; consumerSecret: string }> {
  const id = String(await tx.takeNumbers('application', 1, 1));
  const consumerKey = alphanumeric(random, 25);
  const consumerSecret = alphanumeric(random, 50);
  await tx.credentials.addApplication({
    id,
    owner_user_id: application.owner,
    name: application.name,
    access_level: application.level,
    consumer_key: consumerKey,
    consumer_secret: box.seal(consumerSecret, secretContext.application(id)),
    callbacks: JSON.stringify(application.callbacks),
    sign_in: application.signIn ? 1 : 0,
    suspended: 0,
    demo: application.demo ? 1 : 0,
    description: '',
    website_url: '',
    terms_url: '',
    privacy_url: '',
    organization_name: '',
    organization_url: '',
    native: 0,
    // Many tutorials rely on it, so what is there to try things out with allows it.
    extra_query: application.demo ? 1 : 0,
    created_at: now,
  });
  return { id, consumerKey, consumerSecret };
}

/** Issues an access token of a user for an application. @source authentication gaps 3.1 */
export async function issueToken(
  { tx, box, random, now }: Registrar,
  token: { readonly application: string; readonly user: string; readonly level: AccessLevel },
): Promise<{ id: string; token: string; tokenSecret: string }> {
  const id = String(await tx.takeNumbers('access_token', 1, 1));
  const text = `${token.user}-${alphanumeric(random, 40)}`;
  const tokenSecret = alphanumeric(random, 45);
  await tx.credentials.addToken({
    id,
    token: text,
    token_secret: box.seal(tokenSecret, secretContext.token(id)),
    application_id: token.application,
    user_id: token.user,
    access_level: token.level,
    created_at: now,
    revoked_at: null,
    last_used_at: null,
  });
  return { id, token: text, tokenSecret };
}
