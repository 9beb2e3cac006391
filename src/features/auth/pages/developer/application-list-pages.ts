import { type Html, html, joinHtml } from '../../../../base/html.ts';
import type { Page, PageResponse, UserRequest } from '../../../../contract/declare/pages.ts';
import type { Application, ApplicationDraft } from '../../../../contract/store/credentials.ts';
import { ConstraintViolated } from '../../../../contract/store/errors.ts';
import { texts } from '../../../../texts/texts.ts';
import { registerApplication } from '../../../platform/registration.ts';
import { type DraftError, EMPTY_DRAFT, NAME_TAKEN, validateDraft } from '../../applications/application-draft.ts';
import { LEVEL_NAMES } from '../access-levels.ts';
import { developerPage, userPage } from '../layout.ts';
import { monogram } from '../monogram.ts';
import type { PagesDeps } from '../pages-deps.ts';
import { applicationForm, draftFromForm } from './application-form.ts';
import { APPS_PATH, applicationSecrets, recordAudit, withRegistrar } from './owner-pages.ts';

const { apps: words, secrets } = texts.developer;
const NEW_PATH = `${APPS_PATH}/new`;

/**
 * `/developer/apps` and `/developer/apps/new`: lists the applications of a user, and registers one.
 * @source authentication 4; decision 94
 */
export function applicationListPages(deps: PagesDeps): readonly Page[] {
  const blank: ApplicationDraft = { ...EMPTY_DRAFT, access_level: 'read-write' };
  return [
    userPage(deps, APPS_PATH, list),
    userPage(deps, NEW_PATH, (_, request) => renderForm(deps, request, blank, []), create),
  ];
}

async function list({ store, applicationsMax }: PagesDeps, request: UserRequest): Promise<PageResponse> {
  const query = { owner: request.user.id, after: '', limit: Math.max(applicationsMax, 1000) };
  const all = await store.read((tx) => tx.credentials.listApplications(query));
  const entries = all.sort((a, b) => (a.name < b.name ? -1 : 1)).map(entry);
  const content = html`${entries.length === 0 ? html`<p>${words.none}</p>` : html`<ul class="entries">${joinHtml(entries, '\n')}</ul>`}
<p><a class="main" href="${NEW_PATH}">${words.register}</a></p>`;
  return developerPage(words.title, request, APPS_PATH, content);
}

function entry({ id, name, access_level, suspended }: Application): Html {
  const state = suspended ? html` <strong>${texts.developer.suspended}</strong>` : '';
  return html`<li><h2>${monogram(name)}<a href="${APPS_PATH}/${id}">${name}</a></h2>
<p class="soft">${LEVEL_NAMES[access_level]}${state}</p></li>`;
}

function renderForm(
  { callbackSchemes: schemes }: PagesDeps,
  request: UserRequest,
  draft: ApplicationDraft,
  errors: readonly DraftError[],
): PageResponse {
  const { formFields } = request;
  const form = { action: NEW_PATH, button: words.registerButton, formFields, draft, errors, schemes };
  const status = errors.length > 0 ? 400 : 200;
  return developerPage(words.register, request, APPS_PATH, applicationForm(form), { status });
}

async function create(deps: PagesDeps, request: UserRequest): Promise<PageResponse> {
  const { callbackSchemes: schemes, applicationsMax: limit } = deps;
  const user = request.user.id;
  const draft = draftFromForm(request);
  const refuse = (...errors: DraftError[]): PageResponse => renderForm(deps, request, draft, errors);
  const errors = validateDraft(draft, { schemes, registered: [] });
  if (errors.length > 0) return refuse(...errors);
  try {
    const created = await withRegistrar(deps, async (registrar) => {
      const { credentials } = registrar.tx;
      await credentials.lockUser(user);
      if ((await credentials.listApplications({ owner: user, after: '', limit })).length >= limit) return undefined;
      const application = await registerApplication(registrar, user, draft);
      const event = { event: 'application_created', application_id: application.id } as const;
      return { ...application, audited: await recordAudit(registrar, request, event) };
    });
    if (!created) return refuse({ member: 'name', message: limit === 0 ? words.closed : words.tooMany(limit) });
    const { id, consumerKey, consumerSecret, audited } = created;
    const { name } = draft;
    const keys = [
      [words.key, consumerKey],
      [words.secret, consumerSecret],
    ] as const;
    return { ...applicationSecrets(secrets.keysOf(name), request, { id, name }, keys), audited };
  } catch (error) {
    if (!(error instanceof ConstraintViolated)) throw error;
    return refuse(NAME_TAKEN);
  }
}
