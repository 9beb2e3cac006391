import { issueToken, type Registrar, registerApplication } from '../features/platform/registration.ts';
import { DEMO_APPLICATION } from './demo-application.ts';

/** What an application that may read messages is called with, and acts for both demo users. */
export interface MessagesKeys {
  readonly messages_consumer_key: string;
  readonly messages_consumer_secret: string;
  readonly messages_access_token: string;
  readonly messages_access_token_secret: string;
  readonly messages_other_access_token: string;
  readonly messages_other_access_token_secret: string;
}

const LEVEL = 'read-write-directmessages';

/** Its name; that of an application is unique. */
export const MESSAGES_APPLICATION = 'Demo messages';

/** Registers it for the first user, with a token of each. */
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
