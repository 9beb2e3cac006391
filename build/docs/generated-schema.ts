import { DatabaseSync } from 'node:sqlite';
import { catalog } from '../../src/app/catalog.ts';
import type { Schema } from '../../src/base/json-schema.ts';
import type { Field } from '../../src/contract/declare/fields.ts';
import { migrations } from '../../src/storage/migrations/all-migrations.ts';
import { MIGRATIONS_TABLE } from '../../src/storage/migrations/migrations-table.ts';
import { newSchema } from '../../src/storage/migrations/new-schema.ts';

/** A column as `pragma table_info` describes it. */
interface ColumnInfo {
  readonly name: string;
  readonly type: string;
  readonly notnull: number;
  readonly dflt_value: string | null;
  readonly pk: number;
}

const TYPES: Readonly<Record<string, string>> = { text: 'string', integer: 'number', blob: 'Uint8Array' };
/** Maximum line length. */
const LINE_MAX = 120;

/**
 * The TypeScript source of `src/storage/generated/schema.ts`: the type of each column of each table as the migrations
 * create it on SQLite; enums and booleans of declared resources as unions of their values.
 * @source decision 690
 */
export function generatedSchema(): string {
  const database = new DatabaseSync(':memory:');
  try {
    database.exec(MIGRATIONS_TABLE);
    for (const sql of newSchema('sqlite', migrations)) database.exec(sql);
    const tables = database.prepare("select name from sqlite_schema where type = 'table' order by name").all();
    const declared = declaredValues();
    const body = tables.map(({ name }) => tableText(database, String(name), declared));
    return `${HEAD}${body.join('')}}\n`;
  } finally {
    database.close();
  }
}

const HEAD = `// Made by \`npm run generate\` from the migrations and the declarations. Do not edit.
import type { Generated } from 'kysely';

/** Every table: the type of each column, null where the column may be. \`Generated\` columns have a default. */
export interface Schema {
`;

function tableText(database: DatabaseSync, table: string, declared: ReadonlyMap<string, ReadonlySet<string>>): string {
  const columns = database.prepare('select * from pragma_table_info(?)').all(table) as unknown as ColumnInfo[];
  let text = `  ${table}: {`;
  let line = '';
  for (const column of columns) {
    const member = columnText(column, declared.get(`${table}.${column.name}`));
    if (line !== '' && line.length + member.length < LINE_MAX) line += ` ${member}`;
    else {
      text += `${line}\n`;
      line = `    ${member}`;
    }
  }
  return `${text}${line}\n  };\n`;
}

function columnText({ name, type, notnull, dflt_value, pk }: ColumnInfo, values?: ReadonlySet<string>): string {
  const isNullable = notnull === 0 && pk === 0;
  const union = [...(values ?? [TYPES[type.toLowerCase()]!]), ...(isNullable ? ['null'] : [])];
  const text = union.join(' | ');
  return `${name}: ${dflt_value === null ? text : `Generated<${text}>`};`;
}

/** The values of enum and boolean columns of declared resources, by `table.column`, as TypeScript literals. */
function declaredValues(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const entry of catalog) {
    if (!('fields' in entry)) continue;
    const columns: [string, readonly string[]][] = [['deleted', ['0', '1']]];
    for (const [name, field] of Object.entries(entry.fields as Record<string, Field>)) {
      const values = valuesOf(field);
      if (values.length > 0) columns.push([name, values]);
    }
    for (const [name, values] of columns) {
      const key = `${entry.table}.${name}`;
      found.set(key, new Set([...(found.get(key) ?? []), ...values]));
    }
  }
  return found;
}

function valuesOf({ kind }: Field): string[] {
  if (kind.name === 'boolean') return ['0', '1'];
  if (kind.name !== 'enum') return [];
  const { anyOf = [kind.schema] } = kind.schema as Schema & { readonly anyOf?: readonly Schema[] };
  return anyOf.map((schema) => `'${String(schema.const)}'`);
}
