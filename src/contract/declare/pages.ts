import type { Html } from '../../base/html.ts';
import type { ErrorDetail } from '../problems/problems.ts';
import type { AuditedEvent, RecordAudit } from '../store/audit.ts';
import type { User } from '../store/credentials.ts';
import type { Session } from '../store/logins.ts';
import type { Environment } from './account-state.ts';

/**
 * The hidden fields of every form: the token of the session, and the key of the page, which makes sure that a form is
 * processed once.
 */
export type FormFields = Readonly<Record<'authenticity_token' | 'form_key', string>>;

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
  /** Calls operations as the logged-in user. @throws Error when nobody is logged in */
  readonly call: CallFromPage;
}

/** What a page sends with a call. */
export interface PageCallInput {
  /** Parameters by name, those of the path included; undefined ones are left out. */
  readonly parameters?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  /** The body of an operation that takes JSON. */
  readonly body?: unknown;
}

/**
 * Calls an operation by its id, such as `campaigns.list`, for the logged-in user: as a signed request does, with its
 * role, limits and rules.
 */
export type CallFromPage = (
  environment: Environment,
  operation: string,
  input?: PageCallInput,
) => Promise<PageCallReply>;

/** A call as it can be shown to developers. */
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
  /** Whether it was performed; otherwise the reply has `errors`, as requests get them. */
  readonly isDone: boolean;
  /** Why it was refused; of a batch, what was wrong with any of its items. Empty when it was performed. */
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
  /** What pages for those who are logged in have around it. */
  readonly frame?: PageFrame;
  /** Links above a page without a frame. */
  readonly tabs?: PageTabs;
  /** How wide it is; by default as wide as a form. `full`: as wide as the window, on the background of the page. */
  readonly width?: 'wide' | 'full';
  /** The scripts that make it more comfortable, by the names of their folders in `src/console/islands`. */
  readonly islands?: readonly string[] | undefined;
}

/** The sections that every framed page links to. */
export type PageSection = 'ads' | 'developer' | 'settings' | 'notifications';

/** The frame of a page: whose it is, and where it belongs. */
export interface PageFrame {
  readonly screenName: string;
  readonly formFields: FormFields;
  readonly section: PageSection | undefined;
  /** What pages of operators link to, in place of the sections. */
  readonly operatorLinks?: readonly PageLink[];
  /** Where the button leads that ends the session; `/logout` by default. */
  readonly logoutPath?: string;
  /** The pages of the section. */
  readonly tabs?: PageTabs;
  /** The advertising account that the page is about, and the others to switch to. */
  readonly account?: {
    readonly name: string;
    readonly environment: Environment;
    readonly others: readonly AccountLink[];
  };
}

/** Links to pages that belong together, and what they are. */
export interface PageTabs {
  readonly label: string;
  readonly links: readonly PageLink[];
}

/** A link of a frame. */
export interface PageLink {
  readonly href: string;
  readonly text: string;
  /** Whether it is the page itself, or the one that it belongs to. */
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
  /** A URL that a form of this page may finally redirect to. */
  readonly formLeadsTo?: string | undefined;
  /** Any site may frame the page, and it loads media from these origins too. It has no form. */
  readonly embedding?: { readonly loadsFrom: readonly string[] };
  /** The page has a form, so the session must be stored. */
  readonly hasForm?: boolean;
  /** Logs this user in, for a request token of an application or by themselves. */
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
  answer(visit: PageRequest): Promise<PageResponse>;
}

/** A form of a page as it was sent. */
export interface ArrivedForm {
  /** The key of the page. */
  readonly key: string;
  /** Where it leads: path and query. */
  readonly address: string;
  /** What was entered, without token and key. */
  readonly members: readonly (readonly [name: string, value: string])[];
}

/** A form that came after its session had ended, and whose it is. */
export interface UnsentForm extends ArrivedForm {
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
  /** Keeps a form that came after its session had ended, and leads to where its user can send it. */
  late(form: UnsentForm): Promise<PageResponse>;
  /** Whether a user is suspended or locked, so that no page answers them. */
  isBlocked(user: User): boolean;
}
