import { ACCESS_LEVELS, type AccessLevel, type Application } from '../../../contract/store/credentials.ts';
import type { ReadTransaction } from '../../../contract/store/store.ts';

/** An application with access to the account of a user. */
export interface ConnectedApplication {
  readonly application: Application;
  /** The highest access level of its tokens. */
  readonly level: AccessLevel;
  /** When the oldest of its tokens was issued, UTC text. */
  readonly since: string;
  /** The day any of its tokens was last used; null when none was used. */
  readonly lastUsed: string | null;
}

/** The applications with access to the account of a user, sorted by name. @source authentication gaps 9 */
export async function listConnectedApplications(tx: ReadTransaction, user: string): Promise<ConnectedApplication[]> {
  const found = new Map<string, ConnectedApplication>();
  for (const token of await tx.credentials.listTokensOf(user)) {
    const known = found.get(token.application_id);
    const application = known?.application ?? (await tx.credentials.findApplication(token.application_id))!;
    const { access_level: level, created_at: since, last_used_at: lastUsed } = token;
    found.set(application.id, {
      application,
      level: known && rank(known.level) > rank(level) ? known.level : level,
      since: known && known.since < since ? known.since : since,
      lastUsed: latest(known?.lastUsed ?? null, lastUsed),
    });
  }
  return [...found.values()].sort((a, b) => (a.application.name < b.application.name ? -1 : 1));
}

function rank(level: AccessLevel): number {
  return ACCESS_LEVELS.indexOf(level);
}

function latest(left: string | null, right: string | null): string | null {
  return left !== null && (right === null || left > right) ? left : right;
}
