import { list } from './kinds.ts';

/** The parts of the work that servers of a database can divide. @source decision 805, 842 */
const ROLES = ['api', 'stream', 'worker', 'search'] as const;
/** A part of the work. */
export type Role = (typeof ROLES)[number];

const ALL = 'all';

/** The setting of the role. */
export const roleSettings = {
  role: list(
    'What this server does: `api` calls and pages, `stream` activity streams, `worker` background work, `search` estimates and keyword insights, or `all`. All but `all` need PostgreSQL.',
    {
      default: [ALL],
      isOfServer: true,
      expected: `${ALL}, or a comma list of ${ROLES.join(', ')}, each once`,
      parse: (roles) => (isAll(roles) || isSomeOnce(roles) ? roles : undefined),
    },
  ),
};

/** Returns the roles of a server. */
export function rolesOf({ role }: { readonly role: readonly string[] }): ReadonlySet<Role> {
  return new Set(isAll(role) ? ROLES : (role as readonly Role[]));
}

function isAll(roles: readonly string[]): boolean {
  return roles.length === 1 && roles[0] === ALL;
}

function isSomeOnce(roles: readonly string[]): boolean {
  const known: readonly string[] = ROLES;
  return roles.length > 0 && new Set(roles).size === roles.length && roles.every((role) => known.includes(role));
}
