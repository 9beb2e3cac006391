import { type ObjectSchema, type Schema, Type } from '../base/json-schema.ts';
import { boolean, type Field, id, instant, type StoredValue } from '../contract/declare/fields.ts';
import type { SerializeContext } from '../contract/declare/operation.ts';
import type { AnyResource, Fields, Row } from '../contract/declare/resource.ts';

/** Serializes rows of a resource to JSON text. */
export interface Serializer {
  /** Serializes rows for replies, including computed fields. */
  rows(rows: readonly Row[], context: SerializeContext): Promise<string[]>;
  /** The JSON text of one stored field. */
  field(name: string, row: Row): string;
  /** JSON Schema of the objects that `rows` returns. */
  readonly schema: Schema;
}

const STANDARD: Fields = {
  id: id().required().describe('Identifier.'),
  created_at: instant().required().describe('When it was created.'),
  updated_at: instant().required().describe('When it was last changed.'),
  deleted: boolean().required().describe('Whether it is deleted.'),
};

const serializers = new WeakMap<AnyResource, Serializer>();

/** The serializer for the reply to a deletion. */
export function deletedSerializerOf(resource: AnyResource): Serializer {
  return resource.deletion?.hard
    ? cachedIn(deletedSerializers, resource, makeDeletedSerializer)
    : serializerOf(resource);
}

const deletedSerializers = new WeakMap<AnyResource, Serializer>();

/** The serializer of a resource, created once. */
export function serializerOf(resource: AnyResource): Serializer {
  return cachedIn(serializers, resource, (kind) => makeSerializer(kind, replyFields(kind)));
}

function cachedIn(
  known: WeakMap<AnyResource, Serializer>,
  resource: AnyResource,
  make: (resource: AnyResource) => Serializer,
): Serializer {
  let serializer = known.get(resource);
  if (!serializer) {
    serializer = make(resource);
    known.set(resource, serializer);
  }
  return serializer;
}

/** All fields of a reply, in order: declared, computed, standard. */
function replyFields(resource: AnyResource): Record<string, Field> {
  const computed = (resource.computed?.fields ?? {}) as Fields;
  const { id, deleted, ...always } = STANDARD;
  const standard = resource.deletion?.omitsFlag ? always : { ...always, deleted };
  const own = Object.entries(resource.fields as Fields).filter(([, field]) => !field.isHidden);
  const name = resource.key ? { [resource.key.name]: resource.key.field.required() } : { id };
  return { ...name, ...Object.fromEntries(own), ...computed, ...standard } as Record<string, Field>;
}

/** JSON Schema of an input value: values that may be unset may be null. */
export function inputValueSchema(field: Field): Schema {
  return valueSchema(field.isDerived ? field.nullable() : field);
}

/** JSON Schema of one value, nullable if the field is. */
export function valueSchema(field: Field): Schema {
  const schema = field.isNullable ? Type.Union([field.kind.schema, Type.Null()]) : field.kind.schema;
  return field.description ? { ...schema, description: field.description } : schema;
}

/** JSON Schema of an object with these fields, each always present unless omitted when null. */
function objectSchema(fields: Readonly<Record<string, Field>>): Schema {
  const members = Object.entries(fields).map(([name, field]) => [name, memberSchema(field)] as const);
  return Type.Closed(Object.fromEntries(members) as Record<string, Schema>);
}

function memberSchema(field: Field): Schema {
  if (!field.isOmittedWhenNull) return valueSchema(field);
  return Type.Optional({ ...field.kind.schema, ...(field.description ? { description: field.description } : {}) });
}

interface Piece {
  readonly name: string;
  /** `,"name":`, ready to be joined. */
  readonly label: string;
  readonly toJson: (value: never) => string;
  /** Replaces the whole member when there is no value. */
  readonly absent: string;
}

function piecesOf(fields: Fields, names: Readonly<Record<string, string>> = {}): Piece[] {
  return Object.entries(fields).map(([name, field]) => {
    const label = `,${JSON.stringify(names[name] ?? name)}:`;
    const toJson = field.kind.toJson as (value: never) => string;
    return { name, label, toJson, absent: field.isOmittedWhenNull ? '' : `${label}null` };
  });
}

/** Serializes a row as an object with these fields, some renamed, after members that are strings. */
export function rowWriter(
  fields: Fields,
  names: Readonly<Record<string, string>>,
): (row: Row, first: Readonly<Record<string, string>>) => string {
  const pieces = piecesOf(fields, names);
  return (row, first) => {
    const start = Object.entries(first).map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`);
    return `{${added(start.join(''), pieces, row).slice(1)}}`;
  };
}

/** Appends the pieces of a row to the text of an object that already has its id. */
function added(start: string, pieces: readonly Piece[], values: Readonly<Record<string, unknown>>): string {
  let text = start;
  for (const { name, label, toJson, absent } of pieces) {
    const value = values[name];
    text += value === null || value === undefined ? absent : label + toJson(value as never);
  }
  return text;
}

function makeDeletedSerializer(resource: AnyResource): Serializer {
  const { fields: shows, extraMembers: adds = {} } = resource.deletion!.hard!;
  const all = Object.entries(replyFields(resource));
  const shown = shows ? all.filter(([name]) => name === 'id' || shows.includes(name)) : all;
  const serializer = makeSerializer(resource, Object.fromEntries(shown));
  const beside = Object.entries(adds).map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`);
  const literals = Object.entries(adds).map(([name, value]) => [name, Type.Literal(value)] as const);
  const { properties, ...schema } = serializer.schema as ObjectSchema;
  return {
    ...serializer,
    schema: {
      ...schema,
      // The undeleted object has another schema under its own title.
      title: `Deleted ${resource.label.toLowerCase()}`,
      properties: { ...properties, ...Object.fromEntries(literals) },
      required: [...(schema.required ?? []), ...Object.keys(adds)],
    } as Schema,
    async rows(rows, context) {
      const texts = await serializer.rows(rows, context);
      return texts.map((text) => `${text.slice(0, -1)}${beside.join('')}}`);
    },
  };
}

function makeSerializer(resource: AnyResource, shown: Record<string, Field>): Serializer {
  const computed = resource.computed;
  const [, ...stored] = piecesOf(
    Object.fromEntries(Object.entries(shown).filter(([name]) => !(name in (computed?.fields ?? {})))),
  );
  const derived = piecesOf(
    Object.fromEntries(Object.entries(shown).filter(([name]) => name in (computed?.fields ?? {}))),
  );
  const byName = new Map(stored.map((piece) => [piece.name, piece]));
  return {
    schema: { ...objectSchema(shown), title: resource.label },
    async rows(rows, context) {
      const compute = await computed?.prepare(rows, context);
      // Rows of a page often share computed values: the same object is serialized once.
      const texts = new Map<object, string>();
      const derivedText = (values: Readonly<Record<string, StoredValue | null>>): string => {
        const known = texts.get(values);
        if (known !== undefined) return known;
        const text = added('', derived, values);
        texts.set(values, text);
        return text;
      };
      return rows.map((row) => {
        const text = added(`{"${resource.key?.name ?? 'id'}":"${row.id}"`, stored, row);
        return `${compute ? text + derivedText(compute(row)) : text}}`;
      });
    },
    field(name, row) {
      const value = row[name];
      return value === null || value === undefined ? 'null' : byName.get(name)!.toJson(value as never);
    },
  };
}
