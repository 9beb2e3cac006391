import { issueToken, type Registrar, registerApplication } from '../features/platform/registration.ts';
import { DEMO_APPLICATION } from './demo-application.ts';

/** The credentials of the application that may read messages, with a token of each demo user. */
export interface MessagesKeys {
  readonly messages_consumer_key: string;
  readonly messages_consumer_secret: string;
  readonly messages_access_token: string;
  readonly messages_access_token_secret: string;
  readonly messages_other_access_token: string;
  readonly messages_other_access_token_secret: string;
}

const LEVEL = 'read-write-directmessages';

/** The name of the application; names are unique. */
export const MESSAGES_APPLICATION = 'Demo messages';

/** Registers the application for the first user, with a token of each. @source decision 602 */
export async function addMessagesApplication(
  registrar: Registrar,
  { first, other }: { readonly first: string; readonly other: string },
): Promise<MessagesKeys> {
  const { id, consumerKey, consumerSecret } = await registerApplication(registrar, first, {
    ...DEMO_APPLICATION,
    name: MESSAGES_APPLICATION,
    description: 'Tries out messages and their events.',
    access_level: LEVEL,
  });
  const own = await issueToken(registrar, { application: id, user: first, level: LEVEL });
  const others = await issueToken(registrar, { application: id, user: other, level: LEVEL });
  return {
    messages_consumer_key: consumerKey,
    messages_consumer_secret: consumerSecret,
    messages_access_token: own.token,
    messages_access_token_secret: own.tokenSecret,
    messages_other_access_token: others.token,
    messages_other_access_token_secret: others.tokenSecret,
  };
}
