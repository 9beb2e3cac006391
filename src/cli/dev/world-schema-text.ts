import { accountInput } from '../../app/account-input.ts';
import { worldSchema } from '../../dev/worlds/world-schema.ts';
import { operationsById } from './start-world.ts';

/** The JSON Schema of world files, as text. */
export function schemaText(): string {
  return `${JSON.stringify(worldSchema(operationsById, accountInput), null, 1)}\n`;
}
