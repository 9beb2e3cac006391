import type { Clock } from '../../../../base/clock.ts';
import { formatInstant } from '../../../../base/instants.ts';
import type { Random } from '../../../../base/random.ts';
import type { SecretBox } from '../../../../base/secret-box.ts';
import { isLongId } from '../../../../contract/declare/long-ids.ts';
import type { PageAnswer, Visit } from '../../../../contract/declare/pages.ts';
import type { AuditedEvent } from '../../../../contract/store/audit.ts';
import type { Application } from '../../../../contract/store/credentials.ts';
import type { Store, WriteTransaction } from '../../../../contract/store/store.ts';
import type { WebhookAdministration } from '../../../../contract/store/webhooks.ts';
import type { Registrar } from '../../../platform/register.ts';
import { refusal } from '../refusals.ts';
import { loginFirst } from '../session-pages.ts';

/** Where the pages of applications begin. */
export const DEVELOPER = '/developer/apps';

/** What the pages of applications work with. */
export interface DeveloperParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly box: SecretBox;
  /** Cryptographic, also in development. */
  readonly secrets: Random;
  /** How many applications a user may register. */
  readonly applicationsMax: number;
  /** Schemes without a dot that callbacks may have; `*` stands for all. */
  readonly callbackSchemes: readonly string[];
  readonly webhooks: WebhookAdministration;
}

/** Answers somebody who is logged in; others are sent to the login and come back to `path`. */
export async function forUser(
  visit: Visit,
  path: string,
  answer: (user: string) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  return visit.user ? answer(visit.user.id) : loginFirst(path);
}

/** Answers the owner of the application that the path names; to everybody else it does not exist. */
export function forOwner(
  { store }: DeveloperParts,
  visit: Visit,
  answer: (application: Application) => Promise<PageAnswer>,
): Promise<PageAnswer> {
  const { id = '' } = visit.path;
  if (!isLongId(id)) return Promise.resolve(refusal('page'));
  return forUser(visit, `${DEVELOPER}/${id}`, async (user) => {
    const application = await store.read((tx) => tx.credentials.findApplication(id));
    return application?.owner_user_id === user ? answer(application) : refusal('page');
  });
}

/** One unit of work that makes keys or tokens. */
export function registering<T>(
  { store, clock, box, secrets }: DeveloperParts,
  work: (registrar: Registrar) => Promise<T>,
): Promise<T> {
  const now = formatInstant(clock.now());
  return store.write((tx: WriteTransaction) => work({ tx, box, random: secrets, now }));
}

/** Records that a visit changes an application, in the unit that does; the answer is to be noted when that has ended. */
export async function recorded(
  { tx }: Pick<Registrar, 'tx'>,
  visit: Visit,
  about: Omit<AuditedEvent, 'user_id'>,
): Promise<readonly AuditedEvent[]> {
  const event = { ...about, user_id: visit.user!.id };
  await visit.record(tx, event);
  return [event];
}
