import type { Application, User } from '../contract/store/credentials.ts';
import type { ReadTransaction } from '../storage/unit-of-work.ts';
import { CommandFailed } from './failure.ts';

/** The unit of work of look-ups. */
type CredentialReads = {
  readonly credentials: Pick<ReadTransaction['credentials'], 'findUserByName' | 'findApplicationByKey'>;
};

/** The user with a name. @throws CommandFailed when there is none */
export async function requireUser(tx: CredentialReads, name: string): Promise<User> {
  const user = await tx.credentials.findUserByName(name);
  if (user) return user;
  throw new CommandFailed(`there is no user ${name}; see: barker user list`);
}

/** The application with a consumer key. @throws CommandFailed when there is none */
export async function requireApplication(tx: CredentialReads, key: string): Promise<Application> {
  const application = await tx.credentials.findApplicationByKey(key);
  if (application) return application;
  throw new CommandFailed('there is no application with this consumer key; see: barker app list');
}
