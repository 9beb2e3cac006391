import { alphanumeric, type Random } from '../../base/random.ts';
import type { SecretBox } from '../../base/secret-box.ts';
import type { AccessLevel, ApplicationDraft, Profile } from '../../contract/store/credentials.ts';
import { secretContext } from '../../contract/store/sealed-columns.ts';
import type { WriteTransaction } from '../../contract/store/store.ts';

/** The first user id; user ids are decimal text. */
const USERS_FROM = 900_000_001;

/** The id of the first registered user, if there is one. */
export const FIRST_USER_ID = String(USERS_FROM);

/** The dependencies of registering. `random` generates keys and secrets. */
export interface Registrar {
  readonly tx: WriteTransaction;
  readonly box: SecretBox;
  readonly random: Random;
  /** UTC text. */
  readonly now: string;
}

/**
 * Registers a user and returns the id. The password is hashed before, because hashing is too slow for a unit of work.
 * @source authentication gaps 3.1
 */
export async function registerUser(
  { tx, now }: Registrar,
  user: {
    readonly screenName: string;
    readonly name: string;
    readonly passwordHash: string;
    readonly email?: string | undefined;
    readonly profile?: Partial<Profile>;
  },
): Promise<string> {
  const id = String(await tx.takeNumbers('user', USERS_FROM, 1));
  await tx.credentials.addUser({
    id,
    screen_name: user.screenName,
    name: user.name,
    password_hash: user.passwordHash,
    suspended: 0,
    email: user.email ?? null,
    ...user.profile,
    created_at: now,
  });
  return id;
}

/**
 * Registers an application and returns its keys, which are generated unless they are given; the secret is stored sealed.
 * @source authentication gaps 3.1 and 4
 */
export async function registerApplication(
  registrar: Registrar,
  owner: string,
  { callbacks, ...draft }: ApplicationDraft,
  { demo = false, given }: { readonly demo?: boolean; readonly given?: Partial<ApplicationKeys> } = {},
): Promise<ApplicationKeys & { readonly id: string }> {
  const { tx, now } = registrar;
  const id = String(await tx.takeNumbers('application', 1, 1));
  const { keys, stored } = generateKeys(registrar, id, given);
  await tx.credentials.addApplication({
    id,
    owner_user_id: owner,
    ...draft,
    ...stored,
    callbacks: JSON.stringify(callbacks),
    suspended: 0,
    demo: demo ? 1 : 0,
    created_at: now,
  });
  return { id, ...keys };
}

/** The keys of an application in plaintext, to be shown once. */
export interface ApplicationKeys {
  readonly consumerKey: string;
  readonly consumerSecret: string;
}

/** Generates keys of an application that are not given; `stored` has the columns, with the secret sealed. */
export function generateKeys({ box, random }: Registrar, id: string, given: Partial<ApplicationKeys> = {}) {
  const made: ApplicationKeys = { consumerKey: alphanumeric(random, 25), consumerSecret: alphanumeric(random, 50) };
  const keys = { ...made, ...given };
  const consumer_secret = box.seal(keys.consumerSecret, secretContext.application(id));
  return { keys, stored: { consumer_key: keys.consumerKey, consumer_secret } };
}

/**
 * Issues an access token of a user for an application; what is not given of it is generated.
 * @source authentication gaps 3.1
 */
export async function issueToken(
  { tx, box, random, now }: Registrar,
  token: { readonly application: string; readonly user: string; readonly level: AccessLevel },
  given: { readonly token?: string | undefined; readonly tokenSecret?: string | undefined } = {},
): Promise<{ id: string; token: string; tokenSecret: string }> {
  const id = String(await tx.takeNumbers('access_token', 1, 1));
  const made = [`${token.user}-${alphanumeric(random, 40)}`, alphanumeric(random, 45)] as const;
  const { token: text = made[0], tokenSecret = made[1] } = given;
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
