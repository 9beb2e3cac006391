import type { AuditedEvent, RecordAudit } from '../store/audit.ts';
import type { User } from '../store/credentials.ts';
import type { Session } from '../store/logins.ts';

/** A browser that asks for a page. */
export interface PageRequest {
  readonly method: 'GET' | 'POST';
  /** Only looks (HEAD): nothing may come of it. */
  readonly isHead: boolean;
  /** The first value of each parameter, from the form of a POST and the query of a GET. */
  parameter(name: string): string | undefined;
  /** Everything that came with the form of a POST, in its order; the query of a GET. */
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** The query of the address, without its question mark. */
  readonly query: string;
  /** What stands in the path at the places that it names. */
  readonly pathParams: Readonly<Record<string, string>>;
  /** Who is logged in. */
  readonly user: User | undefined;
  /** What is known of that login; undefined where the browser has no session that is stored. */
  readonly session: Session | undefined;
  /** What each form of this browser must bring along. */
  readonly csrfToken: string;
  /** Where the visit comes from. */
  readonly address: string;
  /** The value of the cookie by which a browser is known in which somebody logged in before. */
  readonly deviceCookie: string | undefined;
  /** Stores what is noted for auditors in the unit of work that brings it about. */
  readonly record: RecordAudit;
  /** The name of the service. */
  readonly serviceName: string;
}

/** A page before the frame of the service is put around it. */
export interface PageDocument {
  /** Its heading, in words. */
  readonly title: string;
  /** HTML of the card. */
  readonly content: string;
  /** HTML that stands beside the name of the service, above the card. */
  readonly accountHeader?: string;
  /** The card takes the width that pages of somebody who is logged in have. */
  readonly isWide?: boolean;
}

/** What a page says, and what becomes of the browser's session. */
export interface PageResponse {
  readonly status: number;
  /** A page for the frame of the service, or a whole document. */
  readonly html: PageDocument | string;
  /** Said instead to a caller that takes JSON and not HTML. */
  readonly error?: { readonly code: number; readonly message: string };
  /** Where the browser goes on; the document is for one that does not. */
  readonly location?: string;
  /** The address to which a form of this page may lead in the end. */
  readonly formLeadsTo?: string | undefined;
  /** Frames of any page may show it, and it loads media from these origins beside its own. It has no form. */
  readonly embedding?: { readonly loadsFrom: readonly string[] };
  /** The page has a form, so the session must outlive it. */
  readonly hasForm?: boolean;
  /** This user is logged in from now on, for a request token of an application or by themselves. */
  readonly login?: { readonly user: string; readonly requestToken?: string };
  /** The user has proved again who they are: the session goes on under a new id. */
  readonly reauthenticated?: boolean;
  /** The new value of the cookie by which this browser is known. */
  readonly deviceCookie?: string | undefined;
  /** Nobody is, from now on. */
  readonly logout?: boolean;
  readonly retryAfter_s?: number | undefined;
  /** What is recorded for auditors. */
  readonly audited?: readonly AuditedEvent[];
}

/** A page on its path; `:name` stands for a part that varies. */
export interface Page {
  readonly path: string;
  readonly methods: readonly ('GET' | 'POST')[];
  /** Visits are counted per address. */
  readonly isRateLimited?: boolean;
  answer(visit: PageRequest): Promise<PageResponse>;
}

/** Why a visit is refused before its page is asked. */
export type PageRefusal =
  | 'plain http'
  | 'form token'
  | 'too many visits'
  | 'too large'
  | 'too slow'
  | 'unavailable'
  | 'error';

/** The pages that browsers are shown. */
export interface Pages {
  readonly list: readonly Page[];
  errorPage(why: PageRefusal, retryAfter_s?: number): PageResponse;
}
