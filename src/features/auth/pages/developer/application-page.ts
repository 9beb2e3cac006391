import { type Html, html } from '../../../../base/html.ts';
import type { Page, PageRequest, PageResponse } from '../../../../contract/declare/pages.ts';
import type { AccessToken, Application, ApplicationDraft } from '../../../../contract/store/credentials.ts';
import type { BearerToken } from '../../../../contract/store/grants.ts';
import { ConstraintViolated } from '../../../../contract/store/store.ts';
import { noticeBox } from '../../../../markup/boxes.ts';
import { dateElement } from '../../../../markup/time-elements.ts';
import { changeApplication } from '../../applications/administration.ts';
import { type DraftError, draftOf, NAME_TAKEN, validateDraft } from '../../applications/application-draft.ts';
import { LEVEL_NAMES } from '../access-levels.ts';
import { developerPage } from '../layout.ts';
import { applicationForm, draftFromForm } from './application-form.ts';
import { ofApplication } from './application-tabs.ts';
import { callbackTest } from './callback-test.ts';
import { APPS_PATH, type DeveloperDeps, forOwner, recordAudit } from './owner-pages.ts';
import { readUserTokens, type UserTokens, userTokensSection } from './user-tokens.ts';

/** `/developer/apps/:id`: an application, its settings, keys and tokens. @source authentication gaps 4 */
export function applicationPage(deps: DeveloperDeps): Page {
  return {
    path: `${APPS_PATH}/:id`,
    methods: ['GET', 'POST'],
    mayFollowLogin: true,
    answer: (request) =>
      forOwner(deps, request, (application) =>
        request.method === 'GET'
          ? page(deps, request, application, { draft: draftOf(application), errors: [] })
          : change(deps, request, application),
      ),
  };
}

async function change(deps: DeveloperDeps, request: PageRequest, application: Application): Promise<PageResponse> {
  const draft = draftFromForm(request);
  const { callbacks: registered } = draftOf(application);
  const errors = validateDraft(draft, { schemes: deps.callbackSchemes, registered });
  if (errors.length > 0) return page(deps, request, application, { draft, errors });
  try {
    const audited = await deps.store.write(async (tx) => {
      await changeApplication(tx, application.id, draft);
      return recordAudit({ tx }, request, { event: 'application_changed', application_id: application.id });
    });
    const location = `${APPS_PATH}/${application.id}?saved=yes`;
    return { status: 303, location, html: developerPage('Saved', request, APPS_PATH, html`<h1>Saved</h1>`), audited };
  } catch (error) {
    if (!(error instanceof ConstraintViolated)) throw error;
    return page(deps, request, application, { draft, errors: [NAME_TAKEN] });
  }
}

interface Standing {
  readonly own: AccessToken | undefined;
  readonly bearer: BearerToken | undefined;
  readonly holders: UserTokens;
}

async function page(
  { store, callbackSchemes: schemes }: DeveloperDeps,
  request: PageRequest,
  application: Application,
  form: { readonly draft: ApplicationDraft; readonly errors: readonly DraftError[] },
): Promise<PageResponse> {
  const { id, name, owner_user_id: owner } = application;
  const standing = await store.read(async (tx) => ({
    own: (await tx.credentials.findLiveTokens(owner, id)).at(-1),
    bearer: await tx.bearerTokens.findOutstanding(id),
    holders: await readUserTokens(tx, application),
  }));
  const saved = request.parameter('saved') === 'yes' ? 'Saved.' : undefined;
  const suspended = html`<p class="alert">This application is suspended: all of its requests are refused.</p>`;
  const content = html`${noticeBox(saved)}
${application.suspended ? suspended : ''}
${credentials(application, standing)}
<section><h2>Settings</h2>
${applicationForm({ action: `${APPS_PATH}/${id}`, button: 'Save', csrfToken: request.csrfToken, schemes, ...form })}
</section>
${callbackTest(application, request.method === 'GET' ? request.parameter('callback') : undefined)}
${userTokensSection(application, standing.holders)}`;
  return {
    status: form.errors.length > 0 ? 400 : 200,
    html: ofApplication(request, application, '', { title: name, content }),
    hasForm: true,
  };
}

/** The keys and tokens of the application, with links to replace them. */
function credentials({ id, consumer_key, access_level }: Application, { own, bearer }: Standing): Html {
  const path = `${APPS_PATH}/${id}`;
  const ownState = own
    ? html`${LEVEL_NAMES[own.access_level]}, given ${dateElement(own.created_at)}`
    : 'None. Create one to let the application make requests as you without a login.';
  const older =
    own && own.access_level !== access_level
      ? html`<p class="alert">Its access level differs from that of the application.</p>`
      : '';
  const bearerState = bearer ? html`Issued ${dateElement(bearer.created_at)}` : 'None.';
  return html`<section><h2>Keys and tokens</h2>
<dl class="credentials">
<dt>Consumer key</dt>
<dd><code>${consumer_key}</code><p class="soft">The secret was shown once, when the key was created.</p>
<a href="${path}/keys">Regenerate key and secret</a></dd>
<dt>Your access token</dt>
<dd><p>${ownState}</p>${older}<a href="${path}/own_token">${own ? 'Regenerate your token' : 'Create your token'}</a></dd>
<dt>Bearer token</dt>
<dd><p>${bearerState}</p><a href="${path}/bearer">${bearer ? 'Regenerate bearer token' : 'Create bearer token'}</a>
${bearer ? html` <a href="${path}/bearer/revoke">Revoke bearer token</a>` : ''}</dd>
</dl></section>`;
}
