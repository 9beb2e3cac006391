import { type Html, html } from '../../../../base/html.ts';
import { formatMillisecond } from '../../../../base/instants.ts';
import type { Page, PageResponse, UserRequest } from '../../../../contract/declare/pages.ts';
import { ENDPOINT_NAMES } from '../../../../contract/services/streams.ts';
import type { Application } from '../../../../contract/store/credentials.ts';
import { hiddenFields } from '../../../../markup/boxes.ts';
import { tableOf } from '../../../../markup/tables.ts';
import { timestampElement } from '../../../../markup/time-elements.ts';
import { texts } from '../../../../texts/texts.ts';
import { noticeAfter, redirect } from '../layout.ts';
import type { PagesDeps } from '../pages-deps.ts';
import { APPS_PATH, applicationTab, ownerPage } from './owner-pages.ts';

const words = texts.developer.streams;

/** Maximum number of ended streams on the page. */
const ENDED_MAX = 20;

/** `/developer/apps/:id/streams`: the open streams of an application, which can be closed, and the last ended ones. */
export function streamsPage(deps: PagesDeps): Page {
  return ownerPage(deps, '/streams', list, close);
}

async function list({ store }: PagesDeps, request: UserRequest, application: Application): Promise<PageResponse> {
  const { id, name } = application;
  const endedQuery = { application: id, status: 'inactive', endpoints: ENDPOINT_NAMES, since: '' } as const;
  const { open, ended } = await store.read(async (tx) => ({
    open: await tx.streamConnections.listOpen(id),
    ended: await tx.streamConnections.page({ ...endedQuery, after: undefined, limit: ENDED_MAX }),
  }));
  const openRows = open.map((each) => [
    html`<code>${each.endpoint_name}</code>`,
    each.client_ip,
    timestampElement(each.connected_at),
    closeButton(request, id, each.id),
  ]);
  const endedRows = ended.map((each) => [
    html`<code>${each.endpoint_name}</code>`,
    each.client_ip,
    timestampElement(each.connected_at),
    timestampElement(each.disconnected_at!),
    each.disconnect_reason ?? '',
  ]);
  const content = html`${noticeAfter(request, 'closed', words.closed)}
<section class="card"><h2>${words.open}</h2>
${tableOf([words.stream, words.address, words.since, ''], openRows, words.noneOpen)}</section>
<section class="card"><h2>${words.ended}</h2>
${tableOf([words.stream, words.address, words.from, words.until, words.why], endedRows, words.noneEnded)}</section>`;
  return applicationTab(words.titleOf(name), request, application, 'streams', content, { width: 'full' });
}

function closeButton({ formFields }: UserRequest, application: string, uuid: string): Html {
  return html`<form method="post" action="${APPS_PATH}/${application}/streams">
${hiddenFields({ ...formFields, uuid })}
<button type="submit" aria-label="${words.closeIt(uuid)}">${words.close}</button></form>`;
}

/** Closes a stream, as `DELETE /2/connections` does. One that has just ended counts as closed. */
async function close({ store, clock }: PagesDeps, request: UserRequest, { id }: Application): Promise<PageResponse> {
  const uuid = request.parameter('uuid') ?? '';
  await store.write(async (tx) => {
    const [found] = await tx.streamConnections.list([uuid]);
    if (found?.application_id !== id) return;
    await tx.streamConnections.end(uuid, 'ForceDisconnect', formatMillisecond(clock.now()));
  });
  return redirect(request, `${APPS_PATH}/${id}/streams?closed=yes`);
}
