import { type Html, html, joinHtml } from '../../../../base/html.ts';
import type { Page, PageResponse, UserRequest } from '../../../../contract/declare/pages.ts';
import type { AuditedEvent } from '../../../../contract/store/audit.ts';
import type { Publisher } from '../../../../contract/store/publishers.ts';
import { hiddenFields } from '../../../../markup/boxes.ts';
import { errorSummary, type FieldErrors, formField } from '../../../../markup/form-fields.ts';
import { texts } from '../../../../texts/texts.ts';
import { errorPage } from '../error-pages.ts';
import { developerPage, noticeAfter, redirect, userPage } from '../layout.ts';
import type { PagesDeps } from '../pages-deps.ts';
import { recordAudit, secretsPage, withRegistrar } from './owner-pages.ts';

const words = texts.developer.publishers;

const PATH = '/developer/publishers';

/** `/developer/publishers`: the publishers of a user and their credentials. @source decision 975 */
export function publishersPage(deps: PagesDeps): Page {
  return userPage(
    deps,
    PATH,
    (_, request) => list(deps, request),
    (_, request) => (request.parameter('act') === 'create' ? create : change)(deps, request),
  );
}

async function list({ store }: PagesDeps, request: UserRequest, errors: FieldErrors = {}): Promise<PageResponse> {
  const all = await store.read((tx) => tx.publishers.list(request.user.id));
  const isPost = request.method === 'POST';
  const entries = all.map((each) => entry(request, each));
  const content = html`${noticeAfter(request, 'saved', texts.developer.saved)}
<p>${words.about}</p>
${entries.length === 0 ? html`<p>${words.none}</p>` : html`<ul class="entries">${joinHtml(entries, '\n')}</ul>`}
<h2>${words.register}</h2>
<p>${words.registerAbout}</p>
${errorSummary(words.wrong, errors)}
<form method="post" action="${PATH}">
${hiddenFields({ ...request.formFields, act: 'create' })}
${formField(nameField(), isPost ? (request.parameter('name') ?? '') : '', errors.name)}
<div class="buttons"><button class="main" type="submit">${words.registerButton}</button></div>
</form>`;
  return developerPage(words.title, request, PATH, content, { status: errors.name === undefined ? 200 : 400 });
}

const nameField = () => ({
  member: 'name',
  label: words.name,
  hint: words.nameHint,
  attributes: html`required maxlength="80" autocomplete="off"`,
});

function entry(request: UserRequest, publisher: Publisher): Html {
  const { id, name, environment, disabled_at } = publisher;
  const button = (act: keyof typeof words.acts): Html => html`<form method="post" action="${PATH}">
${hiddenFields({ ...request.formFields, act, publisher: id, from: versionOf(publisher) })}
<button type="submit" aria-label="${words.acts[act]}: ${name}">${words.acts[act]}</button></form>`;
  return html`<li><h2>${name}</h2>
<p class="soft">${words.number(texts.site.environments[environment], id)}${disabled_at === null ? '' : html` <strong>${words.disabled}</strong>`}</p>
<div class="buttons">${button('rotate')}
${disabled_at === null ? button('disable') : ''}</div></li>`;
}

/** Version of the credential: a form sent twice rotates it once. */
const versionOf = ({ rotated_at }: Publisher): string => rotated_at ?? 'first';

async function create(deps: PagesDeps, request: UserRequest): Promise<PageResponse> {
  const user = request.user.id;
  const name = request.parameter('name')?.trim() ?? '';
  const nameError = deps.publishers.nameError(name);
  if (nameError !== undefined) return list(deps, request, { name: nameError });
  const outcome = await withRegistrar(deps, async (registrar) => {
    const { tx } = registrar;
    await tx.credentials.lockUser(user);
    const own = await tx.publishers.list(user);
    if (own.length >= deps.applicationsMax) return words.tooMany(deps.applicationsMax);
    // Reloading the page that shows the credential must not register another one.
    if (own.some((each) => each.name === name && each.environment === 'sandbox')) return words.taken;
    const draft = { environment: 'sandbox', name, owner_user_id: user, may_explain: false } as const;
    const { publisher, credential } = await deps.publishers.create(registrar, draft);
    const event = { event: 'publisher_created', publisher_id: publisher.id } as const;
    return credentialPage(request, publisher, credential, await recordAudit(registrar, request, event));
  });
  return typeof outcome === 'string' ? list(deps, request, { name: outcome }) : outcome;
}

const EVENTS = {
  rotate: 'publisher_credential_renewed',
  disable: 'publisher_disabled',
} as const;

async function change(deps: PagesDeps, request: UserRequest): Promise<PageResponse> {
  const act = request.parameter('act') ?? '';
  return withRegistrar(deps, async (registrar) => {
    const { tx, now } = registrar;
    const user = request.user.id;
    await tx.credentials.lockUser(user);
    const publisher = (await tx.publishers.list(user)).find(({ id }) => id === request.parameter('publisher'));
    if (!publisher || !Object.hasOwn(EVENTS, act)) return errorPage('page');
    const isRotation = act === 'rotate';
    if (isRotation && request.parameter('from') !== versionOf(publisher)) return errorPage('done before');
    const credential = isRotation ? await deps.publishers.rotate(registrar, publisher) : undefined;
    // Only the operator enables it again: it may have been the operator who disabled it.
    if (!isRotation && publisher.disabled_at === null) await deps.publishers.disable(tx, publisher, now);
    const event = { event: EVENTS[act as keyof typeof EVENTS], publisher_id: publisher.id };
    const audited = await recordAudit(registrar, request, event);
    return credential === undefined
      ? redirect(request, `${PATH}?saved=yes`, audited)
      : credentialPage(request, publisher, credential, audited);
  });
}

/** Shows a new credential, which cannot be shown again. */
function credentialPage(
  request: UserRequest,
  { name }: Publisher,
  credential: string,
  audited: readonly AuditedEvent[],
): PageResponse {
  const next = { href: PATH, text: words.goOn };
  return { ...secretsPage(words.credentialOf(name), request, PATH, [[words.credential, credential]], next), audited };
}
