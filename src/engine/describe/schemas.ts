/** Part of a JSON document. */
export type Json = Readonly<Record<string, unknown>>;

/** Named schemas, which the document contains once and refers to. */
export type NamedSchemas = Record<string, Json>;

/**
 * Converts a TypeBox schema to the form in the document: unions of words become `enum`, null becomes a second type, and
 * schemas with a title become named schemas with a reference.
 */
export function portable(schema: unknown, named: NamedSchemas): Json {
  const { title, ...rest } = walk(schema, named) as { title?: string } & Json;
  if (title === undefined) return rest;
  const name = pascal(title);
  named[name] = rest;
  return { $ref: `#/components/schemas/${name}` };
}

/** A name for types: `LineItemsCreate` for `line_items.create`. */
export function pascal(text: string): string {
  return text.replace(/(?:^|[^A-Za-z0-9]+)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function walk(schema: unknown, named: NamedSchemas): Json {
  const shown: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(schema as Json)) {
    if (name === 'properties' || name === 'patternProperties') shown[name] = mapValues(value as Json, named);
    else if (name === 'items' || name === 'additionalProperties') {
      shown[name] = typeof value === 'object' ? portable(value, named) : value;
    } else if (name === 'anyOf') Object.assign(shown, choice(value as unknown[], named));
    else shown[name] = value;
  }
  return shown;
}

function mapValues(properties: Json, named: NamedSchemas): Json {
  return Object.fromEntries(Object.entries(properties).map(([name, value]) => [name, portable(value, named)]));
}

function choice(branches: readonly unknown[], named: NamedSchemas): Json {
  const shown = branches.map((branch) => portable(branch, named));
  if (shown.every((branch) => typeof branch.const === 'string')) {
    return { type: 'string', enum: shown.map((branch) => branch.const) };
  }
  const [first, second] = shown as [Json, Json | undefined];
  return shown.length === 2 && second?.type === 'null' ? nullable(first) : { anyOf: shown };
}

/** Makes a schema nullable. */
export function nullable(schema: Json): Json {
  if (typeof schema.type !== 'string') return { anyOf: [schema, { type: 'null' }] };
  const words = schema.enum as unknown[] | undefined;
  return { ...schema, type: [schema.type, 'null'], ...(words ? { enum: [...words, null] } : {}) };
}

/** An object with exactly these members; all are required unless listed in `optional`. */
export function closed(properties: Json, optional: readonly string[] = []): Json {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return {
    type: 'object',
    ...(required.length > 0 ? { required } : {}),
    properties,
    additionalProperties: false,
  };
}

/**
 * A reference to a schema, which is added to the named ones under the first of the names that no other schema has.
 */
export function reference(named: NamedSchemas, schema: Json, names: readonly string[]): Json {
  const text = JSON.stringify(schema);
  const name = names.find((each) => !(each in named) || JSON.stringify(named[each]) === text);
  if (name === undefined) throw new Error(`${names.join(', ')}: names of other schemas`);
  named[name] = schema;
  return { $ref: `#/components/schemas/${name}` };
}

/** One of several schemas; a single one is returned as is. */
export function anyOf(schemas: readonly Json[]): Json {
  return schemas.length === 1 ? schemas[0]! : { anyOf: schemas };
}
