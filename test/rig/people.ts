import { randomBytes } from 'node:crypto';
import { formatInstant } from '../../src/base/instants.ts';
import { secureRandom } from '../../src/base/random.ts';
import type { Role } from '../../src/contract/declare/roles.ts';
import type { AccessLevel } from '../../src/contract/store/credentials.ts';
import { secretContext } from '../../src/contract/store/sealed-columns.ts';
import { issueToken } from '../../src/features/platform/registration.ts';
import type { Keys } from './client.ts';
import { recordSecrets } from './secrets.ts';
import type { World } from './world.ts';

/** How a person and the application that speaks for them stand; all is well when not said. */
export interface Standing {
  readonly tokenLevel?: AccessLevel;
  readonly applicationLevel?: AccessLevel;
  readonly isUserSuspended?: boolean;
  readonly isUserLocked?: boolean;
  readonly isApplicationSuspended?: boolean;
  readonly isRevoked?: boolean;
  /** Registered addresses of the application. */
  readonly callbacks?: readonly string[];
  /** A secret of its own, instead of a random one. */
  readonly consumerSecret?: string;
  readonly isNative?: boolean;
  readonly allowsExtraQuery?: boolean;
  /** Roles by account. */
  readonly roles?: Readonly<Record<string, Role>>;
}

/** Registers a new user, an application of theirs and a token; the answer signs for them. */
export async function register(world: World, standing: Standing = {}): Promise<Keys & { readonly user: string }> {
  const { store, box, clock } = world.service;
  const now = formatInstant(clock.now());
  const consumer = {
    key: randomBytes(12).toString('hex'),
    secret: standing.consumerSecret ?? randomBytes(20).toString('hex'),
  };
  return store.write(async (tx) => {
    const user = String(await tx.takeNumbers('user', 900_000_001, 1));
    const application = String(await tx.takeNumbers('application', 1, 1));
    await tx.credentials.addUser({
      id: user,
      screen_name: `p_${user}`,
      name: 'Person',
      password_hash: '',
      suspended: standing.isUserSuspended ? 1 : 0,
      email: null,
      locked: standing.isUserLocked ? 1 : 0,
      created_at: now,
    });
    await tx.credentials.addApplication({
      id: application,
      owner_user_id: user,
      name: `Application ${application}`,
      access_level: standing.applicationLevel ?? 'read-write',
      consumer_key: consumer.key,
      consumer_secret: box.seal(consumer.secret, secretContext.application(application)),
      callbacks: JSON.stringify(standing.callbacks ?? []),
      sign_in: 0,
      suspended: standing.isApplicationSuspended ? 1 : 0,
      demo: 0,
      description: '',
      website_url: '',
      terms_url: '',
      privacy_url: '',
      organization_name: '',
      organization_url: '',
      native: standing.isNative ? 1 : 0,
      extra_query: standing.allowsExtraQuery ? 1 : 0,
      email_access: 0,
      created_at: now,
    });
    const level = standing.tokenLevel ?? 'read-write';
    const registrar = { tx, box, random: secureRandom, salts: secureRandom, now };
    const { token, tokenSecret } = await issueToken(registrar, { application, user, level });
    if (standing.isRevoked) await tx.credentials.revokeToken((await tx.credentials.findToken(token))!.id, now);
    for (const [account, role] of Object.entries(standing.roles ?? {})) {
      await tx.accountMembers.add({ account_id: account, user_id: user, role, post_composer: 0 });
    }
    recordSecrets({ consumer_secret: consumer.secret, access_token: token, access_token_secret: tokenSecret });
    return {
      user,
      consumer_key: consumer.key,
      consumer_secret: consumer.secret,
      access_token: token,
      access_token_secret: tokenSecret,
    };
  });
}
