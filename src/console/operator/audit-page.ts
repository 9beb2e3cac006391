import { type Html, html, joinHtml } from '../../base/html.ts';
import { formatMillisecond, instantMs, parseInstant } from '../../base/instants.ts';
import type { OperatorPage, OperatorRequest, OperatorResponse } from '../../contract/declare/operator-pages.ts';
import { AUDIT_EVENTS, type AuditEvent, type AuditRecord, LOG_ONLY } from '../../contract/store/audit.ts';
import { formField, selectField } from '../../markup/form-fields.ts';
import { tableOf } from '../../markup/tables.ts';
import { timestampElement } from '../../markup/time-elements.ts';
import { texts } from '../../texts/texts.ts';
import { nextLink, operatorPage } from './operator-forms.ts';

const ROWS = 100;
const FILTERS = ['event', 'about', 'since', 'until'];
const words = texts.operator.audit;

/** `/operator/audit`: the audit log, newest first. */
export function auditPage(): OperatorPage {
  return { path: '/audit', methods: ['GET'], answer: list };
}

async function list(request: OperatorRequest): Promise<OperatorResponse> {
  const filters = Object.fromEntries(FILTERS.map((name) => [name, request.parameter(name) ?? '']));
  const { event = '', about = '', since = '', until = '' } = filters;
  const [at, id] = (request.parameter('after') ?? '').split(' ');
  const found = await request.read((tx) =>
    tx.audit.listRecords({
      since: dayOf(since, 0),
      until: dayOf(until, 1),
      about,
      limit: ROWS + 1,
      event: event in AUDIT_EVENTS ? (event as AuditEvent) : undefined,
      after: at && id ? { at, id } : undefined,
    }),
  );
  const rows = found.slice(0, ROWS).map(rowOf);
  const last = found.length > ROWS ? found[ROWS - 1] : undefined;
  const more = last && new URLSearchParams({ ...filters, after: `${last.at} ${last.id}` }).toString();
  const events = Object.entries(words.events).filter(([name]) => !LOG_ONLY.includes(name as AuditEvent));
  const content = html`<form class="filters" method="get">${selectField('event', words.event, [['', words.all], ...events], event)}
${formField({ member: 'about', label: words.what, attributes: html`placeholder="user:900000001"` }, about)}
<div class="field"><label for="since">${words.since}</label><input id="since" name="since" type="date" value="${since}"></div>
<div class="field"><label for="until">${words.until}</label><input id="until" name="until" type="date" value="${until}"></div>
<button type="submit">${texts.operator.users.show}</button></form>
${tableOf([words.at, words.event, words.outcome, words.actor, words.what, words.from], rows, words.none)}
${nextLink(more)}
<p class="soft">${words.logOnly}</p>`;
  return operatorPage(words.title, content);
}

/** Midnight UTC of a day, plus a number of days; undefined if invalid. */
function dayOf(text: string, plus: number): string | undefined {
  const instant = parseInstant(`${text}T00:00:00Z`);
  return instant ? formatMillisecond(instantMs(instant) + plus * 86_400_000) : undefined;
}

function rowOf({ at, event, outcome, actor, sudo_user, command, targets, origin }: AuditRecord) {
  return [
    timestampElement(at),
    html`<span class="why">${event === 'command' ? (command ?? event) : words.events[event]}</span>`,
    words.outcomes[outcome],
    html`${actor === null ? words.nobody : objectLink(actor)}${sudo_user === null ? '' : ` (${sudo_user})`}`,
    html`<span class="why">${joinHtml(targets.map(objectLink), ', ')}</span>`,
    origin,
  ];
}

const PAGES: Readonly<Record<string, string>> = { user: 'users', account: 'accounts', application: 'applications' };

/** An object, such as `user:900000001`, as a link to its page, if it has one. */
function objectLink(name: string): Html {
  const [kind = '', id] = name.split(':');
  return id && PAGES[kind] ? html`<a href="/operator/${PAGES[kind]}/${id}">${name}</a>` : html`${name}`;
}

/** The link to the audit records about an object. */
export function auditLink(kind: string, id: string): Html {
  return html`<a href="/operator/audit?about=${kind}:${id}">${words.records}</a>`;
}
