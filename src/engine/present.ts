import Type, { type TSchema } from 'typebox';
import { boolean, type Field, id, instant, type Stored } from '../contract/fields.ts';
import type { ShowContext } from '../contract/operation.ts';
import type { AnyResource, Fields, Row } from '../contract/resource.ts';

/** Shows rows of a resource as JSON text. */
export interface Presenter {
  /** Shows rows as replies do, computed fields included. */
  rows(rows: readonly Row[], context: ShowContext): Promise<string[]>;
  /** The JSON text of one stored field. */
  field(name: string, row: Row): string;
  /** JSON Schema of what `rows` shows. */
  readonly schema: TSchema;
}

const STANDARD: Fields = {
  id: id().required().says('Identifier.'),
  created_at: instant().required().says('When it was created.'),
  updated_at: instant().required().says('When it was last changed.'),
  deleted: boolean().required().says('Whether it was deleted.'),
};

const presenters = new WeakMap<AnyResource, Presenter>();

/** The presenter of a resource, made once. */
export function presenterOf(resource: AnyResource): Presenter {
  let presenter = presenters.get(resource);
  if (!presenter) {
    presenter = makePresenter(resource);
    presenters.set(resource, presenter);
  }
  return presenter;
}

/** Every field that a reply shows, in order: declared, computed, standard. */
export function shownFields(resource: AnyResource): Record<string, Field> {
  const computed = (resource.computed?.fields ?? {}) as Fields;
  return { id: STANDARD.id, ...resource.fields, ...computed, ...STANDARD } as unknown as Record<string, Field>;
}

/** JSON Schema of a value that a caller gives: what may be emptied may be null. */
export function givenSchema(field: Field): TSchema {
  return valueSchema(field.isSettled ? field.nullable() : field);
}

/** JSON Schema of one value: what its kind says, or null. */
export function valueSchema(field: Field): TSchema {
  const schema = field.isNullable ? Type.Union([field.kind.schema, Type.Null()]) : field.kind.schema;
  return field.about ? { ...schema, description: field.about } : schema;
}

/** JSON Schema of an object with these fields, each always present but those that are left out. */
export function objectSchema(fields: Readonly<Record<string, Field>>): TSchema {
  const members = Object.entries(fields).map(([name, field]) => [name, memberSchema(field)] as const);
  return Type.Object(Object.fromEntries(members) as Record<string, TSchema>, { additionalProperties: false });
}

function memberSchema(field: Field): TSchema {
  if (!field.isLeftOut) return valueSchema(field);
  return Type.Optional({ ...field.kind.schema, ...(field.about ? { description: field.about } : {}) });
}

interface Piece {
  readonly name: string;
  /** `,"name":` ready to be joined. */
  readonly label: string;
  readonly present: (value: never) => string;
  /** What stands in place of the whole member where there is no value. */
  readonly absent: string;
}

function piecesOf(fields: Record<string, Field>): Piece[] {
  return Object.entries(fields).map(([name, field]) => ({
    name,
    label: `,${JSON.stringify(name)}:`,
    present: field.kind.present as (value: never) => string,
    absent: field.isLeftOut ? '' : `,${JSON.stringify(name)}:null`,
  }));
}

/** Adds the pieces of a row to the text of an object that has its id already. */
function added(start: string, pieces: readonly Piece[], values: Readonly<Record<string, unknown>>): string {
  let text = start;
  for (const { name, label, present, absent } of pieces) {
    const value = values[name];
    text += value === null || value === undefined ? absent : label + present(value as never);
  }
  return text;
}

function makePresenter(resource: AnyResource): Presenter {
  const shown = shownFields(resource);
  const computed = resource.computed;
  const [, ...stored] = piecesOf(
    Object.fromEntries(Object.entries(shown).filter(([name]) => !(name in (computed?.fields ?? {})))),
  );
  const derived = piecesOf((computed?.fields ?? {}) as Record<string, Field>);
  const byName = new Map(stored.map((piece) => [piece.name, piece]));
  return {
    schema: { ...objectSchema(shown), title: resource.label },
    async rows(rows, context) {
      const compute = await computed?.prepare(rows, context);
      // Rows of a page often come to the same: what is one object then is text once.
      const texts = new Map<object, string>();
      const derivedText = (values: Readonly<Record<string, Stored | null>>): string => {
        const known = texts.get(values);
        if (known !== undefined) return known;
        const text = added('', derived, values);
        texts.set(values, text);
        return text;
      };
      return rows.map((row) => {
        const text = added(`{"id":"${row.id}"`, stored, row);
        return `${compute ? text + derivedText(compute(row)) : text}}`;
      });
    },
    field(name, row) {
      const value = row[name];
      return value === null || value === undefined ? 'null' : byName.get(name)!.present(value as never);
    },
  };
}
