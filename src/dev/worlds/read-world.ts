import type { AccountInput } from '../../features/ads/administration/account-input.ts';
import { planOf } from './account-object.ts';
import { Complaints } from './checker.ts';
import { checkIdentities } from './identities.ts';
import { readYaml } from './read-yaml.ts';
import type { Operations } from './sections.ts';
import { checkWorld, type World } from './world.ts';

/** What reading a world depends on. */
export interface ReadContext {
  readonly operations: Operations;
  readonly accountInput: AccountInput;
  /** Custom schemes of callbacks that the operator allows. */
  readonly schemes: readonly string[];
  /** UTC text. */
  readonly now: string;
}

/** Reads the text of a world file. @throws InputErrors, with the file, line and member of each */
export function readWorld(text: string, file: string, context: ReadContext): World {
  const root = readYaml(text, file);
  const complaints = new Complaints(file);
  const world = checkWorld(root, { ...context, complaints });
  checkIdentities(world, { ...context, complaints });
  for (const account of world.accounts) {
    if (account.users.some(({ input }) => input.role === undefined)) continue;
    // Ids are not known before it is created.
    const ids = {
      account: 'a',
      user: (key: string) => key.toLowerCase().replaceAll(/[^a-z0-9]/g, ''),
      instruments: [],
    };
    const given = account.members.get('id')?.value;
    const instruments = account.funding.map((_, index) => String(index));
    planOf(
      account,
      { ...ids, ...(typeof given === 'string' && { account: given }), instruments },
      { ...context, complaints },
    );
  }
  complaints.refuse();
  return world;
}
