import { type Schema, Type } from '../../base/json-schema.ts';
import { LONG_ID } from '../../contract/declare/long-ids.ts';

/** JSON Schema of an id. */
export const idSchema: Schema = Type.String({ pattern: LONG_ID.source });

/** JSON Schema of a time with milliseconds. */
export const timeSchema: Schema = Type.String({
  format: 'date-time',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.000Z$',
});

/** A time in the format of version 2, with milliseconds. */
export function serializeTime(time: string): string {
  return time.replace('Z', '.000Z');
}
