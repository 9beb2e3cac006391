import { type Html, html, joinHtml } from '../../../../base/html.ts';
import type { Page, PageRequest, PageResponse } from '../../../../contract/declare/pages.ts';
import type { AuditedEvent } from '../../../../contract/store/audit.ts';
import type { Publisher } from '../../../../contract/store/publishers.ts';
import { hiddenFields, noticeBox } from '../../../../markup/boxes.ts';
import { errorSummary, type FieldErrors, formField } from '../../../../markup/form-fields.ts';
import { texts } from '../../../../texts/texts.ts';
import type { Registrar } from '../../../platform/registration.ts';
import { errorPage } from '../error-pages.ts';
import { developerPage, donePage } from '../layout.ts';
import { type DeveloperDeps, forUser, recordAudit, withRegistrar } from './owner-pages.ts';

const words = texts.developer.publishers;

const PATH = '/developer/publishers';

/** `/developer/publishers`: the publishers of a user and their credentials. @source decision 975 */
export function publishersPage(deps: DeveloperDeps): Page {
  return {
    path: PATH,
    methods: ['GET', 'POST'],
    mayFollowLogin: true,
    answer: (request) =>
      forUser(request, PATH, (user) => {
        if (request.method === 'GET') return listed(deps, request, user);
        return request.parameter('act') === 'create' ? create(deps, request, user) : change(deps, request, user);
      }),
  };
}

async function listed(
  { store }: DeveloperDeps,
  request: PageRequest,
  user: string,
  errors: FieldErrors = {},
): Promise<PageResponse> {
  const all = await store.read((tx) => tx.publishers.list(user));
  const { title } = words;
  const isPost = request.method === 'POST';
  const entries = html`<ul class="entries">${joinHtml(
    all.map((each) => entry(request, each)),
    '\n',
  )}</ul>`;
  const content = html`<h1>${title}</h1>
${noticeBox(!isPost && request.parameter('saved') === 'yes' ? texts.developer.saved : undefined)}
<p>${words.about}</p>
${all.length === 0 ? html`<p>${words.none}</p>` : entries}
<h2>${words.register}</h2>
<p>${words.registerAbout}</p>
${errorSummary(words.wrong, errors)}
<form method="post" action="${PATH}">
${hiddenFields({ ...request.formFields, act: 'create' })}
${formField(NAME, isPost ? (request.parameter('name') ?? '') : '', errors.name)}
<div class="buttons"><button class="main" type="submit">${words.registerButton}</button></div>
</form>`;
  const status = Object.keys(errors).length > 0 ? 400 : 200;
  return { status, html: developerPage(title, request, PATH, content), hasForm: true };
}

const NAME = {
  member: 'name',
  label: words.name,
  hint: words.nameHint,
  attributes: html`required maxlength="80" autocomplete="off"`,
};

function entry(request: PageRequest, publisher: Publisher): Html {
  const { id, name, environment, disabled_at } = publisher;
  const button = (act: keyof typeof words.acts): Html => html`<form method="post" action="${PATH}">
${hiddenFields({ ...request.formFields, act, publisher: id, from: generation(publisher) })}
<button type="submit" aria-label="${words.acts[act]}: ${name}">${words.acts[act]}</button></form>`;
  return html`<li><h2>${name}</h2>
<p class="soft">${words.number(texts.site.environments[environment], id)}${disabled_at === null ? '' : html` <strong>${words.disabled}</strong>`}</p>
<div class="buttons">${button('rotate')}
${disabled_at === null ? button('disable') : ''}</div></li>`;
}

/** Identifies the current credential, so that one form replaces it once. */
const generation = ({ rotated_at }: Publisher): string => rotated_at ?? 'first';

async function create(deps: DeveloperDeps, request: PageRequest, user: string): Promise<PageResponse> {
  const name = request.parameter('name')?.trim() ?? '';
  const nameError = deps.publishers.nameError(name);
  if (nameError !== undefined) return listed(deps, request, user, { name: nameError });
  const made = await withRegistrar(deps, async (registrar) => {
    const { tx } = registrar;
    await tx.credentials.lockUser(user);
    const own = await tx.publishers.list(user);
    if (own.length >= deps.applicationsMax) return { error: words.tooMany(deps.applicationsMax) };
    // Reloading the page that shows the credential must not register another one.
    if (own.some((each) => each.name === name && each.environment === 'sandbox')) {
      return { error: words.taken };
    }
    const issued = await deps.publishers.create(registrar, {
      ...{ environment: 'sandbox', name, owner_user_id: user, may_explain: false },
    });
    return { issued, audited: await audit(registrar, request, 'publisher_created', issued.publisher) };
  });
  if (!made.issued) return listed(deps, request, user, { name: made.error });
  return shown(request, made.issued.publisher, made.issued.credential, made.audited);
}

async function change(deps: DeveloperDeps, request: PageRequest, user: string): Promise<PageResponse> {
  const act = request.parameter('act') ?? '';
  const done = await withRegistrar(deps, async (registrar) => {
    const { tx, now } = registrar;
    await tx.credentials.lockUser(user);
    const publisher = (await tx.publishers.list(user)).find(({ id }) => id === request.parameter('publisher'));
    if (!publisher || !(act in EVENTS)) return undefined;
    const event = EVENTS[act as keyof typeof EVENTS];
    if (act === 'rotate' && request.parameter('from') !== generation(publisher)) return { isOver: true };
    const credential = act === 'rotate' ? await deps.publishers.rotate(registrar, publisher) : undefined;
    // Only the operator enables it again: it may have been the operator who disabled it.
    if (act === 'disable' && publisher.disabled_at === null) await deps.publishers.disable(tx, publisher, now);
    return { publisher, credential, audited: await audit(registrar, request, event, publisher) };
  });
  if (!done) return errorPage('page');
  if (!done.publisher) return errorPage('done before');
  const { publisher, credential, audited } = done;
  if (credential !== undefined) return shown(request, publisher, credential, audited);
  const location = `${PATH}?saved=yes`;
  return { status: 303, location, html: donePage(request), audited };
}

const EVENTS = {
  rotate: 'publisher_credential_renewed',
  disable: 'publisher_disabled',
} as const;

function audit(
  registrar: Registrar,
  request: PageRequest,
  event: AuditedEvent['event'],
  { id: publisher_id }: Publisher,
): Promise<readonly AuditedEvent[]> {
  return recordAudit(registrar, request, { event, publisher_id });
}

/** The page that shows a credential, once. */
function shown(
  request: PageRequest,
  { name }: Publisher,
  credential: string,
  audited: readonly AuditedEvent[],
): PageResponse {
  const title = words.credentialOf(name);
  const content = html`<h1>${title}</h1>
<p class="doubt">${texts.developer.once}</p>
<dl class="secrets"><dt>${words.credential}</dt><dd><code>${credential}</code></dd></dl>
<p><a class="main" href="${PATH}">${words.goOn}</a></p>`;
  return { status: 200, html: developerPage(title, request, PATH, content), hasForm: true, audited };
}
