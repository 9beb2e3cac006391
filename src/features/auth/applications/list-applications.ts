import type { Application } from '../../../contract/store/credentials.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';

const PAGE = 1000;

/** All applications, or all of one owner, in the order of their ids. */
export async function listAllApplications(tx: ReadTransaction, owner?: string): Promise<Application[]> {
  const found: Application[] = [];
  for (;;) {
    const after = found.at(-1)?.id ?? '';
    const page = await tx.credentials.listApplications({ ...(owner && { owner }), after, limit: PAGE });
    found.push(...page);
    if (page.length < PAGE) return found;
  }
}
