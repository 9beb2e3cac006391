/**
 * What one request, row or event costs, as measured, each with the command that measures it. Times are processor time in
 * microseconds unless the name says otherwise. @source decision 846
 */
export const FIGURES = {
  read_node_us: [56, '`nodes`: a signed GET of a campaign, one server, 32 connections'],
  read_postgres_us: [11, '`nodes`'],
  read_redis_us: [18, '`nodes`'],
  change_node_us: [789, '`nodes`: a create of a campaign, one server'],
  change_postgres_us: [577, '`nodes`'],
  change_redis_us: [48, '`nodes`'],
  event_node_us: [90, '`events`: a unit of work with an event, and its way into the log'],
  event_postgres_us: [158, '`events`'],
  units_per_s: [3330, '`events`: units that store something, 32 at once, through one sequencer'],
  deliveries_per_s: [32_384, '`stream`: to 500 streams, events one after the other, one server'],
  messages_per_s: [13_674, '`webhooks`: one webhook, on SQLite'],
  row_bytes: [534, '`rows`: a campaign with its indexes'],
  history_bytes: [655, '`rows`: a change in the account history, with its indexes'],
  nonce_bytes: [207, '`rows`: of a request that changes something, kept for 10 minutes'],
  redis_read_bytes: [152, '`rows`: of a request that reads, kept for 10 minutes'],
  identifier_row_bytes: [18, '`uploads`: in PostgreSQL; not measured again'],
  identifier_file_bytes: [28, '`memberships`: 658 MB for 23.5 million'],
  message_bytes: [700, 'a delivery to a webhook, kept for 24 hours; from [operate.md](../operate.md#events)'],
  post_row_bytes: [44, '`insights`: 5 million posts'],
  post_index_bytes: [62, '`insights`: on the disk of each server that searches'],
  post_memory_bytes: [
    70,
    'in the memory of each server that searches; from [operate.md](../operate.md#memory-and-disk-requirements)',
  ],
  people_imported_per_s: [9600, '`estimate`: 1 million people with the image of the directory, in 104 s'],
  posts_imported_per_s: [40_500, '`insights`: 5 million posts with their index'],
  received_bytes_per_s: [534e6, '`append`: segments of 5 MB, 4 at once, one server'],
  estimate_ns_per_person: [63.6, '`estimate`: p95, 20 criteria, 1 million people'],
  search_ns_per_post: [35.6, '`insights`: p95, 10 keywords by the hour, 5 million posts: 177.8 ms'],
} as const satisfies Readonly<Record<string, readonly [figure: number, source: string]>>;

/** What is assumed, not measured: how much of what there is may be used. */
export const LIMITS = {
  /** Of its one processor, so that waiting times stay short. */
  node_share: 0.6,
  /** Redis runs commands on one processor. */
  redis_processors: 0.7,
  /** A machine with 64 processors. */
  postgres_processors: 45,
  postgres_bytes: 10e12,
  wait_s: 1,
} as const;

/** A service: what it has, and what it does at its busiest. */
export interface Service {
  readonly accounts: number;
  readonly reads_per_s: number;
  readonly changes_per_s: number;
  readonly events_per_s: number;
  readonly people: number;
  readonly identifiers: number;
  readonly posts: number;
  readonly media_bytes: number;
}

const SMALL: Service = {
  accounts: 1000,
  reads_per_s: 100,
  changes_per_s: 10,
  events_per_s: 10,
  people: 1e6,
  identifiers: 1e7,
  posts: 1e6,
  media_bytes: 1e11,
};
const TIMES = [1, 10, 1000, 100_000];
/** Rows of an account, and how often each has been changed. */
const ROWS = 100;
const CHANGES = 10;
/** Streams that an event goes to; to webhooks it goes once. */
const STREAMS = 10;
const NONCES_S = 600;
const DAY_S = 86_400;

/** What a service needs. Processors are those of machines like the one that was measured. */
export interface Needs {
  readonly api_processors: number;
  readonly api_nodes: number;
  readonly stream_nodes: number;
  readonly worker_nodes: number;
  readonly postgres_processors: number;
  readonly postgres_units_per_s: number;
  readonly events_per_s: number;
  readonly postgres_bytes: number;
  readonly redis_processors: number;
  readonly redis_bytes: number;
  readonly object_bytes: number;
  readonly estimate_s: number;
  readonly search_s: number;
  readonly search_memory_bytes: number;
  readonly search_disk_bytes: number;
  readonly people_import_s: number;
  readonly posts_import_s: number;
  readonly media_upload_s: number;
}

const cost = (name: keyof typeof FIGURES): number => FIGURES[name][0];

/** Computes what a service needs. */
export function needsOf(service: Service): Needs {
  const { accounts, reads_per_s: reads, changes_per_s: changes, events_per_s: events, people, posts } = service;
  const sum = (part: 'node' | 'postgres' | 'redis'): number =>
    (reads * cost(`read_${part}_us`) + changes * cost(`change_${part}_us`)) / 1e6;
  const nodes = (share: number): number => Math.max(2, Math.ceil(share / LIMITS.node_share));
  const rows = accounts * ROWS;
  return {
    api_processors: sum('node'),
    api_nodes: nodes(sum('node')),
    stream_nodes: nodes((events * STREAMS) / cost('deliveries_per_s')),
    worker_nodes: nodes(events / cost('messages_per_s') + (events * cost('event_node_us')) / 1e6),
    postgres_processors: sum('postgres') + (events * cost('event_postgres_us')) / 1e6,
    postgres_units_per_s: changes + events,
    events_per_s: events,
    postgres_bytes:
      rows * (cost('row_bytes') + CHANGES * cost('history_bytes')) +
      service.identifiers * cost('identifier_row_bytes') +
      posts * cost('post_row_bytes') +
      events * DAY_S * cost('message_bytes') +
      changes * NONCES_S * cost('nonce_bytes'),
    redis_processors: sum('redis'),
    redis_bytes: reads * NONCES_S * cost('redis_read_bytes'),
    object_bytes: service.media_bytes + service.identifiers * cost('identifier_file_bytes'),
    estimate_s: (people * cost('estimate_ns_per_person')) / 1e9,
    search_s: (posts * cost('search_ns_per_post')) / 1e9,
    search_memory_bytes: posts * cost('post_memory_bytes'),
    search_disk_bytes: posts * cost('post_index_bytes'),
    people_import_s: people / cost('people_imported_per_s'),
    posts_import_s: posts / cost('posts_imported_per_s'),
    media_upload_s: service.media_bytes / cost('received_bytes_per_s'),
  };
}

const ROWS_OF_NEEDS: readonly (readonly [title: string, name: keyof Needs, unit: string, limit?: number])[] = [
  ['processors of `api` servers', 'api_processors', ''],
  ['`api` servers', 'api_nodes', ''],
  ['`stream` servers', 'stream_nodes', ''],
  ['`worker` servers', 'worker_nodes', ''],
  ['processors of PostgreSQL', 'postgres_processors', '', LIMITS.postgres_processors],
  ['units of work that store something', 'postgres_units_per_s', '/s', cost('units_per_s')],
  ['events through the sequencer', 'events_per_s', '/s', cost('units_per_s')],
  ['PostgreSQL on disk', 'postgres_bytes', 'B', LIMITS.postgres_bytes],
  ['processors of Redis', 'redis_processors', '', LIMITS.redis_processors],
  ['Redis in memory', 'redis_bytes', 'B'],
  ['object store', 'object_bytes', 'B'],
  ['an audience estimate, p95', 'estimate_s', 's', LIMITS.wait_s],
  ['a keyword search, p95', 'search_s', 's', LIMITS.wait_s],
  ['memory of the keyword index, each `search` server', 'search_memory_bytes', 'B'],
  ['its files, the same', 'search_disk_bytes', 'B'],
  ['importing all people', 'people_import_s', 's'],
  ['importing all posts', 'posts_import_s', 's'],
  ['receiving all media, by one server', 'media_upload_s', 's'],
];

const LARGE = [
  [1e15, 'P'],
  [1e12, 'T'],
  [1e9, 'G'],
  [1e6, 'M'],
] as const;

function shown(value: number, unit: string): string {
  if (unit === 'B') {
    const [size, letter] = LARGE.find(([least]) => value >= least) ?? [1e6, 'M'];
    return `${Number((value / size).toPrecision(2)).toLocaleString('en')} ${letter}B`;
  }
  const number = value >= 100 ? Math.round(value) : Number(value.toPrecision(2));
  if (unit === 's' && value >= DAY_S) return `${Number((value / DAY_S).toPrecision(2))} days`;
  return `${number.toLocaleString('en')}${unit === 's' ? ' s' : unit}`;
}

/** The tables of measured figures, and of what services need, from small to large. */
export function scaleMarkdown(): string {
  const services = TIMES.map(
    (times) =>
      Object.fromEntries(Object.entries(SMALL).map(([name, value]) => [name, value * times])) as never as Service,
  );
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const titles = ['', ...TIMES.map((times) => `${times.toLocaleString('en')} x`)];
  const has = (Object.keys(SMALL) as (keyof Service)[]).map((name) =>
    row([
      name
        .replace(/_per_s$/, ' a second')
        .replace('_bytes', '')
        .replace('_', ' '),
      ...services.map((service) => shown(service[name], name === 'media_bytes' ? 'B' : '')),
    ]),
  );
  const needs = services.map(needsOf);
  const needed = ROWS_OF_NEEDS.map(([title, name, unit, limit = Infinity]) =>
    row([
      title,
      ...needs.map((each) => (each[name] > limit ? `**${shown(each[name], unit)}**` : shown(each[name], unit))),
    ]),
  );
  const figures = Object.entries(FIGURES).map(([name, [figure, source]]) =>
    row([`\`${name}\``, figure.toLocaleString('en'), source]),
  );
  const head = (cells: readonly string[]): string => `${row(cells)}\n${row(cells.map(() => '---'))}`;
  return `## Figures

\`nodes\` and the like stand for \`npm run bench -- nodes\`; \`_us\` is processor time in microseconds.

${head(['Figure', '', 'Measured by'])}
${figures.join('\n')}

## Services

${head(titles)}
${has.join('\n')}

## What they need

Bold: more than one part can do. An account has ${ROWS} rows, each changed ${CHANGES} times; an event goes to ${STREAMS} streams and one webhook. A server uses
${LIMITS.node_share} of a processor, Redis at most ${LIMITS.redis_processors} of one, PostgreSQL at most ${LIMITS.postgres_processors} processors, ${shown(cost('units_per_s'), '')} units of work a second and ${shown(LIMITS.postgres_bytes, 'B')}.

${head(titles)}
${needed.join('\n')}
`;
}
