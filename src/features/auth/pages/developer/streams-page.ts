import { type Html, html } from '../../../../base/html.ts';
import { formatMillisecond } from '../../../../base/instants.ts';
import type { Page, PageRequest, PageResponse } from '../../../../contract/declare/pages.ts';
import { ENDPOINT_NAMES } from '../../../../contract/services/streams.ts';
import type { Application } from '../../../../contract/store/credentials.ts';
import { hiddenFields, noticeBox } from '../../../../markup/boxes.ts';
import { tableOf } from '../../../../markup/tables.ts';
import { timestampElement } from '../../../../markup/time-elements.ts';
import { texts } from '../../../../texts/texts.ts';
import { ofApplication } from './application-tabs.ts';
import { APPS_PATH, type DeveloperDeps, forOwner } from './owner-pages.ts';

const words = texts.developer.streams;

/** Ended streams that are shown. */
const ENDED_MAX = 20;

/** `/developer/apps/:id/streams`: the open streams of an application, which can be closed, and those that ended last. */
export function streamsPage(deps: DeveloperDeps): Page {
  return {
    path: `${APPS_PATH}/:id/streams`,
    methods: ['GET', 'POST'],
    answer: (request) =>
      forOwner(deps, request, (application) =>
        request.method === 'GET' ? shown(deps, request, application) : close(deps, request, application),
      ),
  };
}

async function shown({ store }: DeveloperDeps, request: PageRequest, application: Application): Promise<PageResponse> {
  const { id, name } = application;
  const { open, ended } = await store.read(async (tx) => ({
    open: await tx.streamConnections.listOpen(id),
    ended: await tx.streamConnections.page({
      ...{ application: id, status: 'inactive', endpoints: ENDPOINT_NAMES, since: '', after: undefined },
      limit: ENDED_MAX,
    }),
  }));
  const rows = open.map(({ id: uuid, endpoint_name, client_ip, connected_at }) => [
    html`<code>${endpoint_name}</code>`,
    client_ip,
    timestampElement(connected_at),
    closeButton(request, id, uuid),
  ]);
  const past = ended.map(({ endpoint_name, client_ip, connected_at, disconnected_at, disconnect_reason }) => [
    html`<code>${endpoint_name}</code>`,
    client_ip,
    timestampElement(connected_at),
    timestampElement(disconnected_at!),
    disconnect_reason ?? '',
  ]);
  const notice = request.parameter('closed') === 'yes' ? words.closed : undefined;
  const title = words.titleOf(name);
  const content = html`${noticeBox(notice)}
<section class="card"><h2>${words.open}</h2>
${tableOf([words.stream, words.address, words.since, ''], rows, words.noneOpen)}</section>
<section class="card"><h2>${words.ended}</h2>
${tableOf([words.stream, words.address, words.from, words.until, words.why], past, words.noneEnded)}</section>`;
  return {
    status: 200,
    html: ofApplication(request, application, 'streams', { title, content, width: 'full' }),
    hasForm: true,
  };
}

function closeButton({ formFields }: PageRequest, application: string, uuid: string): Html {
  return html`<form method="post" action="${APPS_PATH}/${application}/streams">
${hiddenFields({ ...formFields, uuid })}
<button type="submit" aria-label="${words.closeIt(uuid)}">${words.close}</button></form>`;
}

/** Closes a stream, as `DELETE /2/connections` does. One that has ended meanwhile is closed, too. */
async function close(
  { store, clock }: DeveloperDeps,
  request: PageRequest,
  application: Application,
): Promise<PageResponse> {
  const uuid = request.parameter('uuid') ?? '';
  await store.write(async (tx) => {
    const [found] = await tx.streamConnections.list([uuid]);
    if (found?.application_id !== application.id) return;
    await tx.streamConnections.end(uuid, 'ForceDisconnect', formatMillisecond(clock.now()));
  });
  const location = `${APPS_PATH}/${application.id}/streams?closed=yes`;
  return {
    ...{ status: 303, location },
    html: ofApplication(request, application, 'streams', { title: words.closed, content: html`` }),
  };
}
