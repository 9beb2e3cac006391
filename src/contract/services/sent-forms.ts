import type { LateForm, SubmittedForm } from '../declare/pages.ts';

/** A page as browsers get it. */
export interface RenderedPage {
  readonly status: number;
  /** Names and values, alternately. */
  readonly headers: readonly string[];
  readonly text: string;
  /** The cookies that it sets. */
  readonly cookies: readonly string[];
}

/** Makes sure that each form is processed once, however often and wherever it arrives. @source decision 1100 */
export interface SentForms {
  /** A new key for the forms of a page; `user` is '' without a login, `token` that of the session. */
  keyFor(user: string, token: string): string;
  /** The user of a key, and whether it belongs to the session of this token; undefined if malformed. */
  originOf(key: string, token: string): { readonly user: string; readonly isOfToken: boolean } | undefined;
  /**
   * Processes a form, or returns the answer to the same form that was sent before; undefined when the outcome of
   * that is unknown. Unless `isDone`, nothing was changed, and the form may be sent again.
   * @param cookie the value of the session cookie
   */
  once(
    form: SubmittedForm,
    cookie: string,
    perform: () => Promise<{ readonly page: RenderedPage; readonly isDone: boolean }>,
  ): Promise<RenderedPage | undefined>;
  /** The answer to a form that this browser has just sent with a session that the answer ended or renewed. */
  repeated(form: SubmittedForm, cookie: string): Promise<RenderedPage | undefined>;
  /** Keeps a form that came too late; returns what `unsent` finds it by. */
  keep(form: LateForm): Promise<string>;
  unsent(secret: string): Promise<LateForm | undefined>;
}
