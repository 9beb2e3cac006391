/** A column whose values are sealed. An empty or null value is no secret. */
export interface SealedColumn {
  readonly table: string;
  readonly column: string;
  /** The column that names the row. */
  readonly key: string;
  /** What a value is bound to, so that it cannot be moved to another row; `key` is the value of the key column. */
  context(key: string): string;
}

/** `boundAs`: the column in the binding, where values move from one column to another of their row. */
function sealed(table: string, column: string, { key = 'id', boundAs = column } = {}): SealedColumn {
  return { table, column, key, context: (id) => `${table}.${boundAs}:${id}` };
}

/** Every column with sealed secrets. Replacing the master key seals these anew; a column that is not here would be lost. */
export const SEALED_COLUMNS = {
  application: sealed('applications', 'consumer_secret'),
  token: sealed('access_tokens', 'token_secret'),
  requestToken: sealed('request_tokens', 'token_secret'),
  bearer: sealed('bearer_tokens', 'token'),
  webhook: sealed('webhooks', 'secret'),
  formerWebhook: sealed('webhooks', 'former_secret', { boundAs: 'secret' }),
  secondFactor: sealed('second_factors', 'secret', { key: 'user_id' }),
} as const satisfies Record<string, SealedColumn>;

/** What the secret of a row is bound to, by the name of its column in the list. */
export const secretContext = Object.fromEntries(
  Object.entries(SEALED_COLUMNS).map(([name, { context }]) => [name, context]),
) as Readonly<Record<keyof typeof SEALED_COLUMNS, SealedColumn['context']>>;
