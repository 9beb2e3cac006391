import { Type } from '../../../base/json-schema.ts';
import { type Field, field, quoted } from '../../../contract/declare/fields.ts';
import { parseMediaKey } from '../../../contract/services/media.ts';

/** A media key: `<category prefix>_<upload id>`. @source creatives 1.6; decision 208 */
export function mediaKey(): Field<string> {
  return field<string>({
    name: 'media key',
    column: 'text',
    schema: Type.String({ pattern: '^(3|7|13|16)_[0-9]{1,19}$' }),
    problems: ['INVALID_MEDIA_ID'],
    toJson: (stored) => `"${stored}"`,
    read(raw, parameter) {
      if (typeof raw === 'string' && parseMediaKey(raw)) return raw;
      return { problem: 'INVALID_MEDIA_ID', parameter, value: quoted(raw) };
    },
  });
}
