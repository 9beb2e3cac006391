import { boundedCache } from '../../base/bounded-cache.ts';
import type { Operation } from '../../contract/declare/operation.ts';
import type { Application } from '../../contract/store/credentials.ts';
import type { Store } from '../../storage/unit-of-work.ts';
import { DevError, invalidMember, membersOf, operationIn, textIn, wordIn } from '../surface/call.ts';
import { type Entry, KINDS } from './entry.ts';
import { eventTypeOf } from './show.ts';

const NAMES = [
  ...(['direction', 'kind', 'operation', 'method', 'path', 'status', 'account', 'application'] as const),
  ...(['user', 'event_type'] as const),
] as const;

/** Members of a match that may have `*`. */
const GLOBS: ReadonlySet<string> = new Set(['operation', 'path', 'status', 'event_type']);

/**
 * A match: requests with everything that it names. The application is an id, the path is without the query, and a status may
 * be `4xx`. In operations, paths, statuses and event types, `*` stands for anything but slashes.
 */
export type RequestMatch = { readonly [Name in (typeof NAMES)[number]]?: string | undefined };

/** The id of an application that is named by id, consumer key or name. @throws DevError */
export type ApplicationIdOf = (named: string) => Promise<string>;

/** The names that a match may use. */
export interface KnownNames {
  readonly applicationIdOf: ApplicationIdOf;
  readonly operations: readonly Operation[];
}

/** Reads a match from members of a body, or parameters of a query. @throws DevError */
export async function readMatch(input: unknown, { applicationIdOf, operations }: KnownNames): Promise<RequestMatch> {
  const members = membersOf(input ?? {}, NAMES, 'match');
  const status = typeof members.status === 'number' ? String(members.status) : textIn(members.status, 'status');
  if (status !== undefined && !/^[1-5](?:\d\d|xx)$/.test(status))
    throw invalidMember(`status must be like 404 or 4xx, not ${status}`, 'status');
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

/** The names of a match that a request differs in; none if it matches. */
export function differences(entry: Entry, match: RequestMatch): string[] {
  const { target, status, caller } = entry;
  const { application, user } = caller ?? {};
  const [path, event_type] = [pathOf(target), eventTypeOf(entry) ?? ''];
  return unmet({ ...entry, path, status: String(status ?? ''), event_type, application, user }, match);
}

/** The names of a match that differ from what is. */
export function unmet(actual: RequestMatch, match: RequestMatch): string[] {
  const isMet = (name: (typeof NAMES)[number], wanted: string, value: string | undefined): boolean => {
    if (!GLOBS.has(name)) return value === wanted;
    return value !== undefined && matchesGlob(value, name === 'status' ? wanted.replace('xx', '*') : wanted);
  };
  return NAMES.filter((name) => match[name] !== undefined && !isMet(name, match[name], actual[name]));
}

/** The path of a request target or URL, without its query. */
export function pathOf(target: string): string {
  const [path = ''] = target.split(/[?#]/, 1);
  return path.replace(/^[a-z]+:\/\/[^/]*/i, '') || '/';
}

const compiled = boundedCache<string, RegExp>(1000);

/** Whether a text has a form in which `*` stands for anything but a slash, and `**` for anything. */
export function matchesGlob(text: string, glob: string): boolean {
  let pattern = compiled.get(glob);
  if (!pattern) {
    const source = glob.replace(/\*+|[^*]+/g, (piece) =>
      piece === '*' ? '[^/]*' : piece[0] === '*' ? '.*' : piece.replace(/[\\^$.+?()[\]{}|]/g, '\\$&'),
    );
    pattern = new RegExp(`^${source}$`, 's');
    compiled.set(glob, pattern);
  }
  return pattern.test(text);
}

const APPLICATIONS_MAX = 1000;

/** Finds applications by id, consumer key or name; `demo` is the one of the demo world. */
export function applicationFinder(store: Store): ApplicationIdOf {
  return async (named) => {
    const found = await store.read(async ({ credentials }): Promise<Application | undefined> => {
      if (named === 'demo') return credentials.findDemo();
      const all = await credentials.listApplications({ after: '', limit: APPLICATIONS_MAX });
      return (
        all.find(({ id, consumer_key }) => id === named || consumer_key === named) ??
        all.find(({ name }) => name.toLowerCase() === named.toLowerCase())
      );
    });
    if (found) return found.id;
    throw new DevError(400, 'APPLICATION_UNKNOWN', `no application has the id, key or name ${named}`, 'application');
  };
}
