import type { Field } from '../contract/declare/fields.ts';
import type { Parameters } from '../contract/declare/operation.ts';
import type { AnyResource } from '../contract/declare/resource.ts';
import { refusal } from '../contract/declare/unwritten-fields.ts';

/** The parameters of create: all writable fields, and additional ones. */
export function createParameters(resource: AnyResource): Parameters {
  return { ...inputs(resource, 'create', (field) => field), ...resource.requests?.createParameters };
}

/**
 * The parameters of update: the same fields, all optional. Those fixed at creation have no effect.
 * @source decision 32
 */
export function updateParameters(resource: AnyResource): Parameters {
  return inputs(resource, 'update', ({ updateKind, ...field }) => ({
    ...field,
    updateKind,
    kind: updateKind ?? field.kind,
    isRequired: field.isRequiredOnUpdate,
  }));
}

function inputs(resource: AnyResource, verb: 'create' | 'update', as: (field: Field) => Field): Parameters {
  const all = Object.entries(resource.fields as Record<string, Field>);
  return Object.fromEntries(
    all
      .filter(([name, field]) => field.writable !== 'none' && name !== resource.parent?.column)
      .map(([name, field]) => [name, field.writable === 'refused' ? refusal(field, verb) : as(field)]),
  ) as Parameters;
}
