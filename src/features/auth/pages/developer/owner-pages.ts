import type { Clock } from '../../../../base/clock.ts';
import { formatInstant } from '../../../../base/instants.ts';
import type { Random } from '../../../../base/random.ts';
import type { SecretBox } from '../../../../base/secret-box.ts';
import { isLongId } from '../../../../contract/declare/long-ids.ts';
import type { PageRequest, PageResponse } from '../../../../contract/declare/pages.ts';
import type { AuditedEvent } from '../../../../contract/store/audit.ts';
import type { Application } from '../../../../contract/store/credentials.ts';
import type { Store, WriteTransaction } from '../../../../contract/store/store.ts';
import type { WebhookAdministration } from '../../../../contract/store/webhooks.ts';
import type { Registrar } from '../../../platform/registration.ts';
import { errorPage } from '../error-pages.ts';
import { redirectToLogin } from '../login-pages.ts';

/** Where the pages of applications begin. */
export const APPS_PATH = '/developer/apps';

/** What the pages of applications work with. */
export interface DeveloperDeps {
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
  request: PageRequest,
  path: string,
  answer: (user: string) => Promise<PageResponse>,
): Promise<PageResponse> {
  return request.user ? answer(request.user.id) : redirectToLogin(path);
}

/** Answers the owner of the application that the path names; to everybody else it does not exist. */
export function forOwner(
  { store }: DeveloperDeps,
  request: PageRequest,
  answer: (application: Application) => Promise<PageResponse>,
): Promise<PageResponse> {
  const { id = '' } = request.pathParams;
  if (!isLongId(id)) return Promise.resolve(errorPage('page'));
  return forUser(request, `${APPS_PATH}/${id}`, async (user) => {
    const application = await store.read((tx) => tx.credentials.findApplication(id));
    return application?.owner_user_id === user ? answer(application) : errorPage('page');
  });
}

/** One unit of work that makes keys or tokens. */
export function withRegistrar<T>(
  { store, clock, box, secrets }: DeveloperDeps,
  work: (registrar: Registrar) => Promise<T>,
): Promise<T> {
  const now = formatInstant(clock.now());
  return store.write((tx: WriteTransaction) => work({ tx, box, random: secrets, now }));
}

/** Records that a visit changes an application, in the unit that does; the answer is to be noted when that has ended. */
export async function recordAudit(
  { tx }: Pick<Registrar, 'tx'>,
  request: PageRequest,
  about: Omit<AuditedEvent, 'user_id'>,
): Promise<readonly AuditedEvent[]> {
  const event = { ...about, user_id: request.user!.id };
  await request.record(tx, event);
  return [event];
}
