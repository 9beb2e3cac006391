import { hash } from 'node:crypto';
import { GENERATED } from './reference-markdown.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly items?: Schema;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Described {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
  readonly responses: Readonly<Record<string, object>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: Readonly<Record<string, object>> & { readonly schemas: Readonly<Record<string, Schema>> };
}

const ABOUT = `\`openapi.json\` and \`endpoints.md\` are too large for the repository. Here, each of their parts has a line that ends with its
digest, so that reviews show which parts a change affects.`;

/** Every part of the published documents in a line: operations, schemas, and the rest. */
export function interfaceMarkdown(openApi: string, endpoints: string): string {
  const { paths, components, ...head } = JSON.parse(openApi) as Document;
  const { schemas, ...others } = components;
  const sections = endpoints
    .split(/^## /m)
    .map((text, at) => [at === 0 ? 'head' : text.split('\n', 1)[0]!, text] as const);
  return [
    '# The interface in short',
    GENERATED,
    ABOUT,
    '## Operations',
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, each]) =>
        lineOf(`${method.toUpperCase()} ${path}`, operationText(each), each),
      ),
    ),
    '## Schemas',
    Object.entries(schemas).map(([name, schema]) => lineOf(name, typeText(schema), schema)),
    '## The rest of openapi.json',
    Object.entries({ ...head, ...others }).map(([name, part]) => lineOf(name, '', part)),
    '## Sections of endpoints.md',
    sections.map(([name, text]) => lineOf(name, '', text)),
    '',
  ]
    .map((part) => (typeof part === 'string' ? part : part.join('\n')))
    .join('\n\n');
}

function lineOf(name: string, text: string, part: unknown): string {
  return `- \`${name}\`${text && ` ${text}`} ${hash('sha256', JSON.stringify(part)).slice(0, 8)}`;
}

function operationText({ operationId, parameters = [], requestBody, responses }: Described): string {
  const names = parameters.map(({ name, required }) => (required ? name : `${name}?`));
  const bodies = new Set(Object.values(requestBody?.content ?? {}).map(({ schema }) => typeText(schema)));
  const call = [`${operationId}(${names.join(', ')})`, ...bodies].filter((text) => text !== '').join(' ');
  return `${call}: ${Object.keys(responses).join(' ')}`;
}

/** The names of the members of an object; of anything else, its type. */
function typeText({ $ref, type = '', items, required = [], properties }: Schema): string {
  if ($ref !== undefined) return $ref.split('/').at(-1)!;
  if (items) return `${typeText(items)}[]`;
  if (!properties) return [type].flat().join('|');
  return `{ ${Object.keys(properties)
    .map((name) => (required.includes(name) ? name : `${name}?`))
    .join(', ')} }`;
}
