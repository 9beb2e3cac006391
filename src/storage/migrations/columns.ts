/** The columns of a table by name, in order. */
export type Columns = Readonly<Record<string, Column>>;

/** A column; not null unless `nullable()`. */
export interface Column extends Facts {
  nullable(): Column;
  /** Part of the primary key. */
  key(): Column;
  unique(): Column;
  /** The value of existing rows, and of new rows without one. */
  defaultTo(value: string | number): Column;
  /** On PostgreSQL, the column owns the sequence `<table>_<column>_seq`, without a cache. */
  numbered(): Column;
}

interface Facts {
  readonly type: 'text' | 'integer' | 'bytes';
  readonly isNullable?: boolean;
  readonly isKey?: boolean;
  readonly isUnique?: boolean;
  readonly isNumbered?: boolean;
  readonly default?: string | number;
}

/** Text that is compared by its UTF-8 bytes. */
export const text: Column = column({ type: 'text' });

/** A whole number of 64 bits. */
export const integer: Column = column({ type: 'integer' });

/** Bytes. */
export const bytes: Column = column({ type: 'bytes' });

/** The primary key of rows of an account. */
export const row: Columns = { account_id: text.key(), id: text.key() };

/** The last columns of resources. */
export const standard: Columns = { created_at: text, updated_at: text, deleted: integer };

function column(facts: Facts): Column {
  return {
    ...facts,
    nullable: () => column({ ...facts, isNullable: true }),
    key: () => column({ ...facts, isKey: true }),
    unique: () => column({ ...facts, isUnique: true }),
    defaultTo: (value) => column({ ...facts, default: value }),
    numbered: () => column({ ...facts, isNumbered: true }),
  };
}
