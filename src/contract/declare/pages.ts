import type { Html } from '../../base/html.ts';
import type { ErrorDetail } from '../problems/problems.ts';
import type { AuditedEvent, RecordAudit } from '../store/audit.ts';
import type { User } from '../store/credentials.ts';
import type { Session } from '../store/logins.ts';
import type { Environment } from './account-state.ts';

/** The hidden fields of every form: the CSRF token, and the key by which a form is processed only once. */
export type FormFields = Readonly<Record<'authenticity_token' | 'form_key' | 'page_language', string>>;

/** A browser's request for a page. */
export interface PageRequest {
  readonly method: 'GET' | 'POST';
  /** Whether it is a HEAD request, which must have no effect. */
  readonly isHead: boolean;
  /** The first value of a parameter, from the form of a POST or the query of a GET. */
  parameter(name: string): string | undefined;
  /** All parameters in order, from the form of a POST or the query of a GET. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** The path, without the query. */
  readonly path: string;
  /** The query string, without the question mark. */
  readonly query: string;
  /** Values of the path parameters. */
  readonly pathParams: Readonly<Record<string, string>>;
  /** The logged-in user. */
  readonly user: User | undefined;
  /** The session; undefined when the browser has no stored session. */
  readonly session: Session | undefined;
  /** Part of every form of this page. */
  readonly formFields: FormFields;
  /** The client's address. */
  readonly address: string;
  /** The value of the device cookie, which identifies a browser after a login. */
  readonly deviceCookie: string | undefined;
  /** Stores an audit event in the unit of work that causes it. */
  readonly record: RecordAudit;
  /** The name of the service. */
  readonly serviceName: string;
  /** Calls operations as the logged-in user. @throws Error without a login */
  readonly call: CallFromPage;
}

/** A request of a logged-in user. */
export interface UserRequest extends PageRequest {
  readonly user: User;
}

/** Tests whether a user is logged in. */
export function isLoggedIn(request: PageRequest): request is UserRequest {
  return request.user !== undefined;
}

/** Input of an API call made by a page. */
export interface PageCallInput {
  /** Parameters by name, including those of the path; undefined ones are omitted. */
  readonly parameters?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  /** The body of an operation that takes JSON. */
  readonly body?: unknown;
}

/**
 * Calls an operation by id, such as `campaigns.list`, as the logged-in user, with the roles, limits and rules of a
 * signed request.
 */
export type CallFromPage = (
  environment: Environment,
  operation: string,
  input?: PageCallInput,
) => Promise<PageCallReply>;

/** A call as displayed to developers. */
export interface ShownCall extends PageCallInput {
  readonly environment: Environment;
  readonly base_url: string;
  readonly method: string;
  /** The path with its parameters filled in, below the base URL. */
  readonly path: string;
}

/** The reply to a call of a page. */
export interface PageCallReply {
  readonly status: number;
  /** Whether it succeeded; otherwise the reply has `errors`. */
  readonly isDone: boolean;
  /** The errors of a refused call, for a batch those of all items; empty on success. */
  readonly refusals: readonly ErrorDetail[];
  // biome-ignore lint/suspicious/noExplicitAny: each operation has its own shape
  readonly reply: any;
  readonly shown: ShownCall;
}

/** A page without the layout of the service. */
export interface PageDocument {
  /** Heading, as plain text. */
  readonly title: string;
  /** HTML of the page. */
  readonly content: Html;
  /** The frame of pages for logged-in users. */
  readonly frame?: PageFrame;
  /** Links above a page without a frame. */
  readonly tabs?: PageTabs;
  /** Layout width; that of a form by default. `full`: the whole window, without a card. */
  readonly width?: 'wide' | 'full';
  /** Its islands, by folder name in `src/console/islands`. */
  readonly islands?: readonly string[] | undefined;
}

/** The sections that every framed page links to. */
type PageSection = 'ads' | 'developer' | 'settings' | 'notifications';

/** The frame of a page: the user, and its place in the navigation. */
export interface PageFrame {
  readonly screenName: string;
  readonly formFields: FormFields;
  readonly section: PageSection | undefined;
  /** The links of operator pages, instead of the sections. */
  readonly operatorLinks?: readonly PageLink[];
  /** The path of the logout form; `/logout` by default. */
  readonly logoutPath?: string;
  /** The pages of the section. */
  readonly tabs?: PageTabs;
  /** The advertising account of the page, and the others to switch to. */
  readonly account?: {
    readonly name: string;
    readonly environment: Environment;
    readonly others: readonly AccountLink[];
  };
}

/** A labeled group of links to related pages. */
export interface PageTabs {
  readonly label: string;
  readonly links: readonly PageLink[];
}

/** A link of the navigation. */
export interface PageLink {
  readonly href: string;
  readonly text: string;
  /** Whether it links to this page or its parent. */
  readonly isCurrent: boolean;
}

/** A link to another account. */
export interface AccountLink extends PageLink {
  readonly environment: Environment;
}

/** The response to a page request, and its effect on the session. */
export interface PageResponse {
  readonly status: number;
  /** A page for the layout of the service, or a complete document. */
  readonly html: PageDocument | Html;
  /** A file to download in place of the page. */
  readonly file?: { readonly name: string; readonly type: string; readonly text: string };
  /** Returned instead to clients that accept JSON but not HTML. */
  readonly error?: { readonly code: number; readonly message: string };
  /** Redirect target; the document is for clients that do not follow it. */
  readonly location?: string;
  /** The foreign URL that a form of this page may redirect to, for `form-action` in the content security policy. */
  readonly formLeadsTo?: string | undefined;
  /** Any site may frame the page, and it loads media from these origins too. It has no form. */
  readonly embedding?: { readonly loadsFrom: readonly string[] };
  /** The page has a form, so the session must be stored. */
  readonly hasForm?: boolean;
  /** Logs this user in; `requestToken` is the one that the user then authorizes, if any. */
  readonly login?: { readonly user: string; readonly requestToken?: string };
  /** The user has authenticated again: the session continues under a new id. */
  readonly reauthenticated?: boolean;
  /** New value of the device cookie. */
  readonly deviceCookie?: string | undefined;
  /** Logs the user out. */
  readonly logout?: boolean;
  readonly retryAfter_s?: number | undefined;
  /** Audit events to record. */
  readonly audited?: readonly AuditedEvent[] | undefined;
}

/** A page and its path template, with `:name` for parameters. */
export interface Page {
  readonly path: string;
  readonly methods: readonly ('GET' | 'POST')[];
  /** Whether requests are rate-limited per address. */
  readonly isRateLimited?: boolean;
  /** Whether a login may lead back to it: without a query, or with one that matches. */
  readonly mayFollowLogin?: true | { readonly withQuery: RegExp };
  answer(request: PageRequest): Promise<PageResponse>;
}

/** A submitted form. */
export interface SubmittedForm {
  /** The key of the form. */
  readonly key: string;
  /** Its target: path and query. */
  readonly address: string;
  /** The input, without token and key. */
  readonly members: readonly (readonly [name: string, value: string])[];
}

/** A form submitted after its session had ended, with its user. */
export interface LateForm extends SubmittedForm {
  readonly user: string;
}

/** Why a request is refused before its page is called. */
export type PageRefusal =
  | 'plain http'
  | 'form token'
  | 'sent before'
  | 'too many visits'
  | 'too large'
  | 'too slow'
  | 'unavailable'
  | 'error';

/** All pages for browsers. */
export interface Pages {
  readonly list: readonly Page[];
  errorPage(why: PageRefusal, retryAfter_s?: number): PageResponse;
  /** Stores a form submitted after its session had ended, and redirects to a page from which its user can send it. */
  keepLateForm(form: LateForm): Promise<PageResponse>;
  /** Whether a user is suspended or locked, and gets no pages. */
  isBlocked(user: User): boolean;
}
