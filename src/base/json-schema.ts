/** A JSON Schema, draft 2020-12, as the plain object that the OpenAPI document contains. */
export interface Schema {
  readonly [keyword: string]: unknown;
}

/** The schema of an object. */
export interface ObjectSchema extends Schema {
  readonly properties: Members;
  /** Absent if no member is required. */
  readonly required?: readonly string[];
}

type Members = Readonly<Record<string, Schema>>;

/** Members that an object may lack: a mark beside the schema, not a keyword of it. Copies do not have it. */
const optional = new WeakSet<Schema>();

function typed(type: string) {
  return (keywords?: Schema): Schema => ({ type, ...keywords });
}

/**
 * Builds JSON Schemas. The last argument of each adds keywords.
 * @source decision 756
 */
export const Type = {
  String: typed('string'),
  Integer: typed('integer'),
  Number: typed('number'),
  Boolean: typed('boolean'),
  Null: (): Schema => ({ type: 'null' }),
  /** Accepts any value. */
  Unknown: (keywords?: Schema): Schema => ({ ...keywords }),
  /** Accepts no value. */
  Never: (): Schema => ({ not: {} }),
  Literal: (value: string | number | boolean, keywords?: Schema): Schema => ({
    type: typeof value,
    const: value,
    ...keywords,
  }),
  Enum: (values: readonly string[], keywords?: Schema): Schema => ({ enum: values, ...keywords }),
  Array: (items: Schema, keywords?: Schema): Schema => ({ type: 'array', items, ...keywords }),
  Union: (anyOf: readonly Schema[], keywords?: Schema): Schema => ({ anyOf, ...keywords }),
  /** One of some words. */
  Literals: (values: readonly (string | number)[]): Schema => Type.Union(values.map((value) => Type.Literal(value))),
  Nullable: (schema: Schema): Schema => Type.Union([schema, Type.Null()]),
  /** Every member is required, except those marked `Optional`. */
  Object(properties: Members, keywords?: Schema): ObjectSchema {
    const required = Object.keys(properties).filter((name) => !optional.has(properties[name]!));
    return { type: 'object', ...(required.length > 0 ? { required } : {}), properties, ...keywords };
  },
  /** An object without other members. */
  Closed: (properties: Members, keywords?: Schema): ObjectSchema =>
    Type.Object(properties, { additionalProperties: false, ...keywords }),
  /** An object whose names match the `pattern` of `key`, if it has one. */
  Record: (key: Schema, value: Schema, keywords?: Schema): Schema => ({
    type: 'object',
    patternProperties: { [String(key.pattern ?? '^.*$')]: value },
    ...keywords,
  }),
  /** Marks a member that an object may lack. */
  Optional(schema: Schema): Schema {
    const marked = { ...schema };
    optional.add(marked);
    return marked;
  },
};
