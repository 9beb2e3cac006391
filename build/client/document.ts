/** A JSON Schema of the OpenAPI document. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly description?: string;
  readonly default?: unknown;
  readonly format?: string;
  readonly contentMediaType?: string;
}

interface Body {
  readonly content?: Readonly<Record<string, { readonly schema: Schema }>>;
}

/** An operation of the OpenAPI document. */
export interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly deprecated?: boolean;
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: 'path' | 'query';
    readonly required: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: Body;
  readonly responses: Readonly<Record<string, Body>>;
}

/** The OpenAPI document, as far as the client needs it. */
export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** An operation with its method and path. */
export interface PlacedOperation extends Described {
  readonly method: string;
  readonly path: string;
}

/** The operations that are methods of the client: the steps of a login are `login`. */
export function operationsOf({ paths }: Document): PlacedOperation[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, each]) => ({ ...each, method: method.toUpperCase(), path })),
  );
  return all.filter(({ operationId }) => !['oauth.request_token', 'oauth.access_token'].includes(operationId));
}

export function refName(ref: string): string {
  return ref.slice(ref.lastIndexOf('/') + 1);
}

export function behind(schema: Schema, { components }: Document): Schema {
  return schema.$ref ? components.schemas[refName(schema.$ref)]! : schema;
}

/** The forms of bodies, in the order in which a client prefers them: with files, or in JSON. */
const FORMS = ['multipart/form-data', 'application/json', 'application/x-www-form-urlencoded'];

/** The body that a client sends: its media type and schema; undefined if there is none. */
export function sentBody({ requestBody }: Described): { readonly form: string; readonly schema: Schema } | undefined {
  const { content = {} } = requestBody ?? {};
  const form = FORMS.find((each) => each in content);
  return form === undefined ? undefined : { form, schema: content[form]!.schema };
}

/** The schemas of the bodies of replies without an error; undefined for one without a body. */
export function replySchemas({ responses }: Described): (Schema | undefined)[] {
  const done = Object.entries(responses).filter(([status]) => Number(status) < 300);
  return done.map(([, { content = {} }]) => Object.values(content)[0]?.schema);
}

/** The names of the schemas that can be reached from others. */
export function reached(from: readonly (Schema | undefined)[], document: Document): Set<string> {
  const names = new Set<string>();
  const walk = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) walk(each);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const { $ref, discriminator, ...others } = value as Schema & { readonly discriminator?: unknown };
    if ($ref !== undefined && !names.has(refName($ref))) {
      names.add(refName($ref));
      walk(behind({ $ref }, document));
    }
    for (const each of Object.values(others)) walk(each);
  };
  walk(from);
  return names;
}
