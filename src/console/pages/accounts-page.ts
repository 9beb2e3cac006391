import { html, joinHtml } from '../../base/html.ts';
import { isLoggedIn, type Page, type PageResponse, type UserRequest } from '../../contract/declare/pages.ts';
import { hiddenFields } from '../../markup/boxes.ts';
import { texts } from '../../texts/texts.ts';
import { type Account, accountsOf } from '../account-visit.ts';
import type { ConsoleDeps } from '../console-deps.ts';
import { consoleDocument } from '../parts/console-document.ts';

const PATH = '/ads';
const words = texts.accounts;

/** `/ads`: the accounts of a user, and a form that creates one in the sandbox. */
export function accountsPage({ redirectToLogin }: ConsoleDeps): Page {
  return {
    path: PATH,
    methods: ['GET', 'POST'],
    mayFollowLogin: true,
    async answer(request) {
      if (!isLoggedIn(request)) return redirectToLogin(PATH);
      return request.method === 'GET' ? show(request) : create(request);
    },
  };
}

async function create(request: UserRequest): Promise<PageResponse> {
  const { isDone, reply } = await request.call('sandbox', 'accounts.create');
  if (!isDone) return show(request, reply.errors[0].message);
  const location = `${PATH}/${reply.data[0].id}`;
  return { status: 303, location, html: consoleDocument(request, words.title, html`<h1>${words.title}</h1>`) };
}

async function show(request: UserRequest, problem?: string): Promise<PageResponse> {
  const accounts = await accountsOf(request);
  const content = html`<div class="heading"><h1>${words.title}</h1>
<form method="post" action="${PATH}">${hiddenFields(request.formFields)}
<button type="submit"${accounts.length === 0 ? html` class="main"` : ''}>${words.create}</button></form></div>
${problem === undefined ? '' : html`<p class="alert" role="alert">${problem}</p>`}
${
  accounts.length === 0
    ? html`<div class="empty"><h2>${words.none}</h2><p>${words.noneAbout}</p></div>`
    : html`<div class="scroll"><table><thead><tr><th scope="col">${words.name}</th><th scope="col">${words.id}</th><th scope="col">${words.zone}</th><th scope="col">${words.state}</th></tr></thead>
<tbody>
${joinHtml(accounts.map(row), '\n')}
</tbody></table></div>`
}`;
  return {
    status: problem === undefined ? 200 : 400,
    html: consoleDocument(request, words.title, content),
    hasForm: true,
  };
}

function row({ id, name, environment, timezone, approval_status }: Account) {
  const mark =
    environment === 'sandbox' ? html` <span class="environment sandbox">${texts.site.environments.sandbox}</span>` : '';
  return html`<tr><th scope="row"><a href="${PATH}/${id}">${name}</a>${mark}</th><td><code>${id}</code></td><td>${timezone}</td><td>${words.states[approval_status] ?? approval_status}</td></tr>`;
}
