import type { Operation } from '../../../src/contract/declare/operation.ts';
import { EVENT_ITEMS, OUTSIDE } from './events.ts';
import { NOT_SHOWN } from './not-shown.ts';
import { PAGES, REFERENCE_TABLES } from './reference-tables.ts';

/**
 * The coverage page in Markdown: every endpoint of the two documents with its state, what this version serves beyond
 * them, and what they do not show.
 */
export function coverageMarkdown(operations: readonly Operation[]): string {
  const served = new Map(operations.flatMap((operation) => namesOf(operation).map((name) => [name, operation.id])));
  const inDocuments = new Set(REFERENCE_TABLES.flatMap(({ endpoints }) => endpoints.map(plain)));
  const listed = REFERENCE_TABLES.flatMap(({ document, table, endpoints }) =>
    endpoints.map((endpoint) => {
      const id = served.get(plain(endpoint));
      const state =
        id === undefined ? (PAGES.includes(endpoint) ? 'served, a page' : 'not yet') : `served: ${code(id)}`;
      return `| ${document} | ${table} | ${code(endpoint)} | ${state} |`;
    }),
  );
  const beyond = operations
    .filter((operation) => !namesOf(operation).some((name) => inDocuments.has(name)))
    .map(({ id, method, path }) => `| ${code(`${method} ${path}`)} | ${code(id)} |`);
  const known = new Set(operations.map(({ id }) => id));
  const events = EVENT_ITEMS.map(({ what, how, operations: needed, test }) => {
    const isThere = needed.every((id) => known.has(id));
    return `| ${what} | ${how} | ${isThere ? needed.map(code).join(', ') : 'not yet'} | ${isThere ? code(test) : ''} |`;
  });
  const silent = NOT_SHOWN.map(({ document, what, filledBy, decisions }) => {
    const state = filledBy === '' ? 'not yet' : filledBy;
    return `| ${document} | ${what} | ${state} | ${decisions.join(', ')} |`;
  });
  return [
    '## Coverage',
    'Every endpoint of the two reference documents, and whether this version serves it.',
    ['| Document | Table | Endpoint | State |', '|---|---|---|---|', ...listed].join('\n'),
    'What this version serves beyond the tables of the documents:',
    ['| Endpoint | Operation |', '|---|---|', ...beyond].join('\n'),
    'What the second document says of events and of recorded changes, value by value:',
    ['| What | How | Served by | Tested in |', '|---|---|---|---|', ...events].join('\n'),
    OUTSIDE,
    'What the documents mark as not shown: the sections of the companion specification that fill it, and the rows of\n[the decisions](../decisions/README.md) where those leave a choice.',
    ['| Document | Not shown | Filled by | Decisions |', '|---|---|---|---|', ...silent].join('\n'),
  ].join('\n\n');
}

/** `METHOD /path` of an operation and its aliases, without parameter names. */
function namesOf({ method, path, aliases = [] }: Operation): string[] {
  return [path, ...aliases].map((each) => plain(`${method} ${each}`));
}

/** Removes parameter names: an endpoint is the same whatever its parameters are called. */
function plain(endpoint: string): string {
  return endpoint.replace(/:\w+/g, ':');
}

function code(text: string): string {
  return `\`${text}\``;
}
