import { type Html, html } from '../../../../base/html.ts';
import type { Page, PageRequest, PageResponse } from '../../../../contract/declare/pages.ts';
import type { AccessToken, Application, ApplicationDraft } from '../../../../contract/store/credentials.ts';
import type { BearerToken } from '../../../../contract/store/grants.ts';
import { ConstraintViolated } from '../../../../contract/store/store.ts';
import { noticeBox } from '../../../../markup/boxes.ts';
import { dateElement } from '../../../../markup/time-elements.ts';
import { texts } from '../../../../texts/texts.ts';
import { changeApplication } from '../../applications/administration.ts';
import { type DraftError, draftOf, NAME_TAKEN, validateDraft } from '../../applications/application-draft.ts';
import { LEVEL_NAMES } from '../access-levels.ts';
import { donePage } from '../layout.ts';
import { applicationForm, draftFromForm } from './application-form.ts';
import { ofApplication } from './application-tabs.ts';
import { callbackTest } from './callback-test.ts';
import { APPS_PATH, type DeveloperDeps, forOwner, recordAudit } from './owner-pages.ts';
import { readUserTokens, type UserTokens, userTokensSection } from './user-tokens.ts';

const words = texts.developer.apps;

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
    return { status: 303, location, html: donePage(request), audited };
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
  const saved = request.parameter('saved') === 'yes' ? texts.developer.saved : undefined;
  const suspended = html`<p class="alert">${words.suspended}</p>`;
  const content = html`${noticeBox(saved)}
${application.suspended ? suspended : ''}
${credentials(application, standing)}
<section><h2>${words.settings}</h2>
${applicationForm({ action: `${APPS_PATH}/${id}`, button: texts.developer.save, formFields: request.formFields, schemes, ...form })}
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
  const ownState = own ? words.tokenGiven(LEVEL_NAMES[own.access_level], dateElement(own.created_at)) : words.noToken;
  const older = own && own.access_level !== access_level ? html`<p class="alert">${words.otherLevel}</p>` : '';
  const bearerState = bearer ? words.bearerIssued(dateElement(bearer.created_at)) : words.noBearer;
  return html`<section><h2>${words.keys}</h2>
<dl class="credentials">
<dt>${words.key}</dt>
<dd><code>${consumer_key}</code><p class="soft">${words.keyAbout}</p>
<a href="${path}/keys">${words.newKeys}</a></dd>
<dt>${words.token}</dt>
<dd><p>${ownState}</p>${older}<a href="${path}/own_token">${own ? words.newToken : words.createToken}</a></dd>
<dt>${words.bearer}</dt>
<dd><p>${bearerState}</p><a href="${path}/bearer">${bearer ? words.newBearer : words.createBearer}</a>
${bearer ? html` <a href="${path}/bearer/revoke">${words.revokeBearer}</a>` : ''}</dd>
</dl></section>`;
}
