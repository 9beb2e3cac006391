import { schema } from './schema.ts';
import type { Migration } from './schema-builder.ts';

/** Every migration, in order: the schema of new databases, and what has changed since. */
export const migrations: readonly Migration[] = [schema];
