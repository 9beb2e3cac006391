import { foundation } from './0001-foundation.ts';
import { authorization } from './0002-authorization.ts';
import { verifierReuse } from './0004-verifier-reuse.ts';
import { lockedUsers } from './0005-locked-users.ts';
import type { Migration } from './migration.ts';

/** Every step of the schema, in order. */
export const migrations: readonly Migration[] = [foundation, authorization, verifierReuse, lockedUsers];
