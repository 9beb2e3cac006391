import type { Clock } from '../../../base/clock.ts';
import type { Operation } from '../../../contract/declare/operation.ts';
import type { UsedWindow } from '../../../contract/declare/rates.ts';
import type { SentForms } from '../../../contract/services/sent-forms.ts';
import type { Application } from '../../../contract/store/credentials.ts';
import type { Notification } from '../../../contract/store/posts.ts';
import type { PublisherAdministration } from '../../../contract/store/publishers.ts';
import type { WebhookAdministration } from '../../../contract/store/webhooks.ts';
import type { CallField } from '../../../markup/call-form.ts';
import type { PasswordRules } from '../../platform/password-rules.ts';
import type { LoginDeps } from '../logins/log-in.ts';
import type { Grants } from '../oauth1/grants.ts';

/** The dependencies of the pages. */
export interface PagesDeps extends LoginDeps {
  /** The clock of the service; calls are counted by `wallClock`. */
  readonly clock: Clock;
  readonly grants: Grants;
  /** Whether a denial redirects to the callback at once, or shows a link. @source authentication 6.4 */
  readonly denyRedirect: 'redirect' | 'link';
  /** How long a verifier can be exchanged. */
  readonly verifier_ttl_s: number;
  /** How long a login counts as recent. */
  readonly reauthentication_s: number;
  readonly passwords: PasswordRules;
  /** Hashes a password. Slow, so never called inside a unit of work. */
  hashPassword(password: string): Promise<string>;
  /** The contact for users who cannot log in: an e-mail address, a URL or a sentence; empty when unknown. */
  readonly supportContact: string;
  /** Whether the start page lists logins. */
  readonly isDevelopment: boolean;
  readonly sentForms: Pick<SentForms, 'keep' | 'unsent'>;
  /** The link to the subject of a notification. */
  readonly linkFor: (notification: Notification) => string;
  /** How many applications a user may register. @source decision 94 */
  readonly applicationsMax: number;
  /** Custom schemes without a dot that callbacks may have; `*` allows all. */
  readonly callbackSchemes: readonly string[];
  readonly webhooks: WebhookAdministration;
  readonly publishers: PublisherAdministration;
  /** Stores the counts so far. */
  readonly usage: { flush(): Promise<void> };
  /** The rate windows that an application has used, by its own calls and by those for a user. */
  readonly usedWindows: (application: Application, user: string) => Promise<readonly UsedWindow[]>;
  /** All operations of the API. */
  readonly operations: readonly Operation[];
  /** The parameters of an operation as the reference describes them, and whether it takes a body in JSON. */
  readonly describeInput: (operation: Operation) => {
    readonly parameters: readonly CallField[];
    readonly takesJson: boolean;
  };
  /** The operations that have all words of a search. */
  readonly findOperations: (operations: readonly Operation[], search: string) => readonly Operation[];
}
