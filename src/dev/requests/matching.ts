import { DevError } from '../surface/call.ts';
import { membersOf, operationIn, textIn, wordIn } from '../surface/members.ts';
import { type Entry, KINDS, type Kind } from './entry.ts';
import { matchesGlob } from './glob.ts';
import { eventTypeOf } from './show.ts';

const NAMES = [
  ...(['direction', 'kind', 'operation', 'method', 'path', 'status', 'account', 'application'] as const),
  ...(['user', 'event_type'] as const),
] as const;

/** Which requests are meant: those that have everything that it names. */
export interface RequestMatch {
  readonly direction?: 'in' | 'out' | undefined;
  readonly kind?: Kind | undefined;
  /** With `*`, such as `campaigns.*`. */
  readonly operation?: string | undefined;
  readonly method?: string | undefined;
  /** Without the query, with `*` for anything but slashes. */
  readonly path?: string | undefined;
  /** Such as `404` or `4xx`. */
  readonly status?: string | undefined;
  readonly account?: string | undefined;
  /** An id. */
  readonly application?: string | undefined;
  readonly user?: string | undefined;
  readonly event_type?: string | undefined;
}

/** The id of an application that is named by id, consumer key or name. @throws DevError */
export type ApplicationIdOf = (named: string) => Promise<string>;

/** What the names in a match are compared with. */
export interface KnownNames {
  readonly applicationIdOf: ApplicationIdOf;
  /** Ids of operations. */
  readonly operations: readonly string[];
}

/** Reads a match from members of a body, or parameters of a query. @throws DevError */
export async function readMatch(input: unknown, { applicationIdOf, operations }: KnownNames): Promise<RequestMatch> {
  const members = membersOf(input ?? {}, NAMES, 'match');
  const status = typeof members.status === 'number' ? String(members.status) : textIn(members.status, 'status');
  if (status !== undefined && !/^[1-5](?:\d\d|xx)$/.test(status)) throw statusRefused(status);
  const application = textIn(members.application, 'application');
  return {
    direction: wordIn(members.direction, 'direction', ['in', 'out']),
    kind: wordIn(members.kind, 'kind', KINDS),
    operation: operationIn(members.operation, operations),
    method: textIn(members.method, 'method')?.toUpperCase(),
    path: textIn(members.path, 'path'),
    status,
    account: textIn(members.account, 'account'),
    application: application && (await applicationIdOf(application)),
    user: textIn(members.user, 'user'),
    event_type: textIn(members.event_type, 'event_type'),
  };
}

function statusRefused(status: string): DevError {
  return new DevError(400, 'MEMBER_INVALID', `status must be like 404 or 4xx, not ${status}`, 'status');
}

/** The names of a match that a request differs in; none for one that is meant. */
export function differences(entry: Entry, match: RequestMatch): string[] {
  const isRight: Readonly<Record<keyof RequestMatch, (wanted: string) => boolean>> = {
    direction: (wanted) => entry.direction === wanted,
    kind: (wanted) => entry.kind === wanted,
    operation: (wanted) => entry.operation !== undefined && matchesGlob(entry.operation, wanted),
    method: (wanted) => entry.method === wanted,
    path: (wanted) => matchesGlob(pathOf(entry.target), wanted),
    status: (wanted) => matchesGlob(String(entry.status ?? ''), wanted.replace('xx', '*')),
    account: (wanted) => entry.account === wanted,
    application: (wanted) => entry.caller?.application === wanted,
    user: (wanted) => entry.caller?.user === wanted,
    event_type: (wanted) => matchesGlob(eventTypeOf(entry) ?? '', wanted),
  };
  return NAMES.filter((name) => match[name] !== undefined && !isRight[name](match[name]));
}

/** The path of a request target or URL, without its query. */
export function pathOf(target: string): string {
  const [path = ''] = target.split(/[?#]/, 1);
  return path.replace(/^[a-z]+:\/\/[^/]*/i, '') || '/';
}
