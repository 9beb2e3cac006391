/** What a statement wrote. */
export interface WrittenRows {
  readonly verb: 'insert' | 'update' | 'delete';
  readonly table: string;
  /** The arguments of the statement: of an insert, lists of rows. */
  readonly args: Readonly<Record<string, unknown>>;
}
