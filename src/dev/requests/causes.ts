import { type Html, html, joinHtml, noHtml } from '../../base/html.ts';
import { tableOf } from '../../markup/tables.ts';
import { texts } from '../../texts/texts.ts';
import type { Entry, Written } from './entry.ts';
import type { Recorder } from './recorder.ts';

const words = texts.tools.causes;

/** What a request caused, beside its reply. */
export interface Causes {
  /** Lines of the log with its transaction id. */
  readonly log: readonly string[];
  readonly wrote: readonly Written[];
  /** Messages to webhooks with its events, the first ones. */
  readonly deliveries: readonly Entry[];
}

/** Messages that are listed at most. */
const DELIVERIES_MAX = 20;

/** Collects what a request caused; what follows later is there when it is asked for again. */
export function causesOf(entry: Entry, { ring, logged }: Recorder, wrote: readonly Written[]): Causes {
  const payloads = eventsIn(wrote).map(({ payload }) => `"payload":${payload}`);
  const carries = ({ kind, body, id }: Entry): boolean => {
    if (kind !== 'webhook' || id < entry.id || payloads.length === 0) return false;
    const text = Buffer.from(body).toString();
    return payloads.some((each) => text.includes(each));
  };
  return {
    log: logged.get(entry.transactionId ?? '') ?? [],
    wrote,
    deliveries: ring.list().filter(carries).slice(0, DELIVERIES_MAX),
  };
}

const isEvent = ({ table }: Written): boolean => table === 'events' || table === 'event_outbox';
const isLedger = ({ table }: Written): boolean => table.startsWith('delivery_');

function eventsIn(wrote: readonly Written[]): Written['rows'] {
  return wrote.filter(isEvent).flatMap(({ rows }) => rows);
}

/** Renders what a request caused. */
export function causesSection({ log, wrote, deliveries }: Causes): Html {
  const events = eventsIn(wrote).map((row) => [String(row.event_type), String(row.user_id), code(row.payload)]);
  const sent = deliveries.map(({ id, target, status, failure }) => [
    html`<a href="/_dev/requests/${id}">${target}</a>`,
    html`<span class="${(status ?? 500) < 300 ? 'delivered' : 'failed'}">${status ?? failure ?? words.underWay}</span>`,
  ]);
  const changed = wrote.filter((each) => !isEvent(each) && !isLedger(each));
  return html`<section id="caused"><h2>${words.title}</h2>
<h3>${words.log}</h3>
${log.length === 0 ? html`<p class="soft">${words.noLog}</p>` : html`<pre tabindex="0">${log.join('\n')}</pre>`}
<h3>${words.events}</h3>
${tableOf(words.eventHeads, events, words.noEvents)}
<h3>${words.deliveries}</h3>
${tableOf(words.deliveryHeads, sent, words.noDeliveries)}
<h3>${words.rows}</h3>
${writtenTable(changed, words.noRows)}
<h3>${words.ledger}</h3>
${writtenTable(wrote.filter(isLedger), words.noLedger)}
</section>`;
}

function writtenTable(wrote: readonly Written[], none: string): Html {
  const rows = wrote.map(({ verb, table, rows: values, count }) => [
    html`<span class="whole">${table}</span>`,
    `${words.verbs[verb]}${count > 1 ? ` (${count})` : ''}`,
    html`${joinHtml(values.map(rowLine), '\n')}`,
  ]);
  return tableOf(words.rowHeads, rows, none);
}

/** The values of a row that are not null, with a link to what has an id. */
function rowLine(row: Written['rows'][number]): Html {
  const values = Object.entries(row).filter(([, value]) => value !== null && value !== undefined);
  const { id = (row.ids as readonly unknown[] | undefined)?.[0] } = row;
  const found = typeof id === 'string' ? html`<a href="/_dev/data?id=${id}">${id}</a>` : noHtml;
  return html`${found}<details><summary>${words.columns(values.length)}</summary>
<pre tabindex="0">${JSON.stringify(Object.fromEntries(values), null, 2)}</pre></details>`;
}

const code = (value: unknown): Html => html`<code>${String(value)}</code>`;
