import type { Clock } from '../../../../base/clock.ts';
import { formatInstant } from '../../../../base/instants.ts';
import type { Random } from '../../../../base/random.ts';
import type { SecretBox } from '../../../../base/secret-box.ts';
import { isLongId } from '../../../../contract/declare/long-ids.ts';
import type { Operation } from '../../../../contract/declare/operation.ts';
import type { PageRequest, PageResponse } from '../../../../contract/declare/pages.ts';
import type { UsedWindow } from '../../../../contract/declare/rates.ts';
import type { AuditedEvent } from '../../../../contract/store/audit.ts';
import type { Application } from '../../../../contract/store/credentials.ts';
import type { PublisherAdministration } from '../../../../contract/store/publishers.ts';
import type { Store, WriteTransaction } from '../../../../contract/store/store.ts';
import type { WebhookAdministration } from '../../../../contract/store/webhooks.ts';
import type { Registrar } from '../../../platform/registration.ts';
import { errorPage } from '../error-pages.ts';
import { redirectToLogin } from '../login-pages.ts';

/** The path of the pages of applications. */
export const APPS_PATH = '/developer/apps';

/** The dependencies of the pages of applications. */
export interface DeveloperDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly box: SecretBox;
  /** Cryptographically secure, also in development. */
  readonly secrets: Random;
  /** How many applications a user may register. @source decision 94 */
  readonly applicationsMax: number;
  /** Custom schemes without a dot that callbacks may have; `*` allows all. */
  readonly callbackSchemes: readonly string[];
  readonly webhooks: WebhookAdministration;
  readonly publishers: PublisherAdministration;
  /** The clock of the machine, by which calls are counted. */
  readonly wallClock: Clock;
  /** Stores what has been counted so far. */
  readonly usage: { flush(): Promise<void> };
  /** The rate windows that an application has used, by its own calls and by those for a user. */
  readonly usedWindows: (application: Application, user: string) => Promise<readonly UsedWindow[]>;
  /** All operations of the API. */
  readonly operations: readonly Operation[];
  /** The parameters of an operation as the reference describes them, and whether it takes a body in JSON. */
  readonly describeInput: (operation: Operation) => {
    readonly parameters: readonly {
      readonly name: string;
      readonly type: string;
      readonly choices: readonly string[];
      readonly isRequired: boolean;
      readonly about: string;
    }[];
    readonly takesJson: boolean;
  };
}

/** Answers a logged-in user; redirects others to the login, which leads back to `path`. */
export async function forUser(
  request: PageRequest,
  path: string,
  answer: (user: string) => Promise<PageResponse>,
): Promise<PageResponse> {
  return request.user ? answer(request.user.id) : redirectToLogin(path);
}

/** Answers the owner of the application in the path; everybody else gets 404. */
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

/** Runs a unit of work that creates keys or tokens. */
export function withRegistrar<T>(
  { store, clock, box, secrets }: DeveloperDeps,
  work: (registrar: Registrar) => Promise<T>,
): Promise<T> {
  const now = formatInstant(clock.now());
  return store.write((tx: WriteTransaction) => work({ tx, box, random: secrets, now }));
}

/**
 * Stores the audit record of a change to an application, in the same unit of work.
 * @returns the event, to be logged when the unit has ended.
 * @source decision 590; decision 592
 */
export async function recordAudit(
  { tx }: Pick<Registrar, 'tx'>,
  request: PageRequest,
  about: Omit<AuditedEvent, 'user_id'>,
): Promise<readonly AuditedEvent[]> {
  const event = { ...about, user_id: request.user!.id };
  await request.record(tx, event);
  return [event];
}
