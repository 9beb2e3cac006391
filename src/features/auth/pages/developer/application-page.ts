import { type Html, html, joinHtml } from '../../../../base/html.ts';
import type { Page, PageResponse, UserRequest } from '../../../../contract/declare/pages.ts';
import type {
  AccessLevel,
  AccessToken,
  Application,
  ApplicationDraft,
  HeldToken,
} from '../../../../contract/store/credentials.ts';
import { ConstraintViolated } from '../../../../contract/store/errors.ts';
import type { BearerToken } from '../../../../contract/store/grants.ts';
import { dateElement } from '../../../../markup/time-elements.ts';
import { texts } from '../../../../texts/texts.ts';
import { changeApplication } from '../../applications/administration.ts';
import { type DraftError, draftOf, NAME_TAKEN, validateDraft } from '../../applications/application-draft.ts';
import { callbackUrlError, nearestCallback, refuseCallback } from '../../callback-urls.ts';
import { LEVEL_NAMES } from '../access-levels.ts';
import { noticeAfter, redirect } from '../layout.ts';
import type { PagesDeps } from '../pages-deps.ts';
import { applicationForm, draftFromForm } from './application-form.ts';
import { APPS_PATH, applicationTab, ownerPage, recordAudit } from './owner-pages.ts';

const { apps: words, tokens } = texts.developer;

/** `/developer/apps/:id`: an application, its settings, keys and tokens. @source authentication 4 */
export function applicationPage(deps: PagesDeps): Page {
  const show: typeof change = (_, request, application) => render(deps, request, application, draftOf(application), []);
  return { ...ownerPage(deps, '', show, change), mayFollowLogin: true };
}

async function change(deps: PagesDeps, request: UserRequest, application: Application): Promise<PageResponse> {
  const draft = draftFromForm(request);
  const { callbacks: registered } = draftOf(application);
  const errors = validateDraft(draft, { schemes: deps.callbackSchemes, registered });
  if (errors.length > 0) return render(deps, request, application, draft, errors);
  try {
    const audited = await deps.store.write(async (tx) => {
      await changeApplication(tx, application.id, draft);
      return recordAudit({ tx }, request, { event: 'application_changed', application_id: application.id });
    });
    return redirect(request, `${APPS_PATH}/${application.id}?saved=yes`, audited);
  } catch (error) {
    if (!(error instanceof ConstraintViolated)) throw error;
    return render(deps, request, application, draft, [NAME_TAKEN]);
  }
}

/** Maximum number of listed tokens. */
const LISTED_MAX = 50;

async function render(
  { store, callbackSchemes: schemes }: PagesDeps,
  request: UserRequest,
  application: Application,
  draft: ApplicationDraft,
  errors: readonly DraftError[],
): Promise<PageResponse> {
  const { id, name, owner_user_id: owner, access_level, suspended } = application;
  const { formFields } = request;
  const { own, bearer, counts, otherLevels } = await store.read(async (tx) => ({
    own: (await tx.credentials.findLiveTokens(owner, id)).at(-1),
    bearer: await tx.bearerTokens.findOutstanding(id),
    counts: await tx.credentials.listTokenCounts(id),
    otherLevels: await tx.credentials.listOtherTokens(id, access_level, LISTED_MAX),
  }));
  const isGet = request.method === 'GET';
  const content = html`${noticeAfter(request, 'saved', texts.developer.saved)}
${suspended ? html`<p class="alert">${words.suspended}</p>` : ''}
${credentialSection(application, own, bearer)}
<section><h2>${words.settings}</h2>
${applicationForm({ action: `${APPS_PATH}/${id}`, button: texts.developer.save, formFields, schemes, draft, errors })}
</section>
${callbackTest(application, isGet ? request.parameter('callback') : undefined)}
${userTokenSection(application, counts, otherLevels)}`;
  return applicationTab(name, request, application, '', content, { status: errors.length > 0 ? 400 : 200 });
}

/** The keys and tokens of the application, with links to replace them. */
function credentialSection(
  { id, consumer_key, access_level }: Application,
  own: AccessToken | undefined,
  bearer: BearerToken | undefined,
): Html {
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

/** The form that tests a URL against the registered callbacks. @source authentication 4.1 */
function callbackTest(application: Application, callback = ''): Html {
  return html`<section id="trial"><h2>${words.test}</h2>
${callback === '' ? '' : callbackVerdict(application, callback)}
<form method="get" action="${APPS_PATH}/${application.id}#trial">
<div class="field"><label for="callback">${words.testLabel}</label>
<input id="callback" name="callback" value="${callback}" required spellcheck="false" autocapitalize="none"></div>
<div class="buttons"><button type="submit">${words.testButton}</button></div>
</form></section>`;
}

function callbackVerdict(application: Application, callback: string): Html {
  const refusal = refuseCallback(application, callback);
  const code = html`<code>${callback}</code>`;
  if (refusal === undefined) return html`<p class="notice" role="status">${words.accepted(code)}</p>`;
  const error = callbackUrlError(callback);
  const reason =
    refusal === 'not oob'
      ? words.onlyOob
      : error === undefined
        ? nearestText(nearestCallback(application, callback))
        : words.wrongCallback(error);
  return html`<div class="alert" role="alert"><p>${words.refused(code, reason)}</p></div>`;
}

/** Counts user tokens by access level, and lists those of another level than the application's. @source authentication 4 */
function userTokenSection(
  { access_level: level }: Application,
  counts: readonly { readonly access_level: AccessLevel; readonly count: number }[],
  otherLevels: readonly HeldToken[],
): Html {
  const sum = (some: typeof counts): number => some.reduce((total, { count }) => total + count, 0);
  const rows = counts.map(({ access_level, count }) => html`<dt>${LEVEL_NAMES[access_level]}</dt><dd>${count}</dd>`);
  const others = sum(counts.filter(({ access_level }) => access_level !== level));
  return html`<section><h2>${tokens.title}</h2>
${sum(counts) === 0 ? html`<p>${tokens.none}</p>` : html`<dl class="facts">${rows}</dl>`}
${otherLevels.length === 0 ? '' : otherLevelTable(level, otherLevels, others)}
</section>`;
}

function otherLevelTable(level: AccessLevel, listed: readonly HeldToken[], total: number): Html {
  const rows = listed.map(
    (held) => html`<tr><th scope="row">@${held.screen_name}</th><td>${LEVEL_NAMES[held.access_level]}</td>
<td>${dateElement(held.created_at)}</td><td>${held.last_used_at === null ? tokens.never : dateElement(held.last_used_at)}</td></tr>`,
  );
  const more = total > listed.length ? html`<p class="soft">${tokens.first(listed.length, total)}</p>` : '';
  return html`<p class="doubt">${tokens.differ(total, LEVEL_NAMES[level])}</p>
<div class="scroll" tabindex="0" role="region" aria-label="${tokens.otherLevels}"><table>
<thead><tr><th scope="col">${tokens.user}</th><th scope="col">${tokens.level}</th><th scope="col">${tokens.issued}</th><th scope="col">${tokens.lastUsed}</th></tr></thead>
<tbody>${joinHtml(rows, '\n')}</tbody></table></div>
${more}`;
}

const nearestText = (nearest: string | undefined): string =>
  nearest === undefined ? words.noMatch : words.nearest(nearest);
