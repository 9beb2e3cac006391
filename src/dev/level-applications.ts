import { issueToken, type Registrar, registerApplication } from '../features/platform/registration.ts';
import { DEMO_APPLICATION, LEVEL_APPLICATIONS, type LevelApplication } from './demo-application.ts';

type KeyName =
  | 'consumer_key'
  | 'consumer_secret'
  | 'access_token'
  | 'access_token_secret'
  | 'other_access_token'
  | 'other_access_token_secret';

/** The credentials of these applications, with a token of each demo user: `messages_consumer_key` and so on. */
export type LevelKeys = Readonly<Record<`${LevelApplication}_${KeyName}`, string>>;

/** Registers one of the applications for the first user, with a token of each. @source decision 602, 882 */
export async function addLevelApplication(
  registrar: Registrar,
  which: LevelApplication,
  { first, other }: { readonly first: string; readonly other: string },
): Promise<Partial<LevelKeys>> {
  const { name, description, level } = LEVEL_APPLICATIONS[which];
  const { id, consumerKey, consumerSecret } = await registerApplication(registrar, first, {
    ...DEMO_APPLICATION,
    name,
    description,
    access_level: level,
  });
  const own = await issueToken(registrar, { application: id, user: first, level });
  const others = await issueToken(registrar, { application: id, user: other, level });
  return {
    [`${which}_consumer_key`]: consumerKey,
    [`${which}_consumer_secret`]: consumerSecret,
    [`${which}_access_token`]: own.token,
    [`${which}_access_token_secret`]: own.tokenSecret,
    [`${which}_other_access_token`]: others.token,
    [`${which}_other_access_token_secret`]: others.tokenSecret,
  };
}
