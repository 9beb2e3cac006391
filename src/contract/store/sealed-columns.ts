/** A column with sealed values. Empty and null values are not sealed. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The column that identifies the row. */
  readonly key: string;
  /**
   * The context that a value is bound to, so that it cannot be moved to another row; `key` is the value of the key
   * column.
   */
  context(key: string): string;
}

/** `boundAs` is the column name in the context, for values that move between columns of a row. */
function sealed(table: string, column: string, { key = 'id', boundAs = column } = {}): SealedColumn {
  return { table, column, key, context: (id) => `${table}.${boundAs}:${id}` };
}

/**
 * Every column with sealed secrets. Replacing the master key reseals these; values of a column missing here would be
 * lost.
 */
export const SEALED_COLUMNS = {
  application: sealed('applications', 'consumer_secret'),
  token: sealed('access_tokens', 'token_secret'),
  requestToken: sealed('request_tokens', 'token_secret'),
  bearer: sealed('bearer_tokens', 'token'),
  webhook: sealed('webhooks', 'secret'),
  formerWebhook: sealed('webhooks', 'former_secret', { boundAs: 'secret' }),
  secondFactor: sealed('second_factors', 'secret', { key: 'user_id' }),
} as const satisfies Record<string, SealedColumn>;

/** The seal contexts by the names of the columns above. */
export const secretContext = Object.fromEntries(
  Object.entries(SEALED_COLUMNS).map(([name, { context }]) => [name, context]),
) as Readonly<Record<keyof typeof SEALED_COLUMNS, SealedColumn['context']>>;
