import { Type } from '../base/json-schema.ts';
import { type Field, field, type RawValue } from '../contract/declare/fields.ts';
import type { AnyResource } from '../contract/declare/resource.ts';
import type { ErrorDetail } from '../contract/problems/problems.ts';

/** The sort keys of every list. */
const STANDARD = ['created_at', 'updated_at', 'deleted'];

/**
 * The `sort_by` parameter of a list: comma-separated attributes with an optional direction (ascending by default);
 * stored as a JSON list in the full form.
 * @source campaigns 1.7
 */
export function sortField(resource: AnyResource): Field<string> {
  const own = Object.entries(resource.fields as Record<string, Field>).filter(([, each]) => each.isSortable);
  const { sortAliases = {}, nullSortKeys = [] } = resource.list ?? {};
  const attributes = [...STANDARD, ...own.map(([name]) => name), ...Object.keys(sortAliases), ...nullSortKeys];
  const allowed = attributes.flatMap((name) => [`${name}-asc`, `${name}-desc`]);
  return field({
    name: 'sort',
    column: 'text',
    schema: Type.Array(Type.String({ pattern: `^(${attributes.join('|')})(-(asc|desc))?$` }), { minItems: 1 }),
    problems: ['NOT_IN_ENUM'],
    toJson: (stored) => stored,
    read(raw: RawValue, parameter: string): string | ErrorDetail {
      const parts = (typeof raw === 'string' ? raw.split(',') : []).filter((part) => part !== '');
      const keys = parts.map((part) => (attributes.includes(part.trim()) ? `${part.trim()}-asc` : part.trim()));
      const bad = keys.find((key) => !allowed.includes(key));
      if (bad === undefined && keys.length > 0) return JSON.stringify(keys);
      return {
        problem: 'NOT_IN_ENUM',
        parameter,
        words: { list: allowed.join(', '), raw: bad ?? '' },
      };
    },
  });
}
