import { type Html, html, joinHtml } from '../../../../base/html.ts';
import type { Page, PageRequest, PageResponse } from '../../../../contract/declare/pages.ts';
import type { Application, ApplicationDraft } from '../../../../contract/store/credentials.ts';
import { ConstraintViolated } from '../../../../contract/store/store.ts';
import { texts } from '../../../../texts/texts.ts';
import { registerApplication } from '../../../platform/registration.ts';
import { type DraftError, EMPTY_DRAFT, NAME_TAKEN, validateDraft } from '../../applications/application-draft.ts';
import { LEVEL_NAMES } from '../access-levels.ts';
import { developerPage } from '../layout.ts';
import { monogram } from '../monogram.ts';
import { applicationForm, draftFromForm } from './application-form.ts';
import { APPS_PATH, type DeveloperDeps, forUser, recordAudit, withRegistrar } from './owner-pages.ts';
import { keysPage } from './secrets-page.ts';

const words = texts.developer.apps;

/**
 * `/developer/apps` and `/developer/apps/new`: lists the applications of a user, and registers one.
 * @source authentication gaps 4; decision 94
 */
export function applicationListPages(deps: DeveloperDeps): readonly Page[] {
  return [
    {
      path: APPS_PATH,
      methods: ['GET'],
      mayFollowLogin: true,
      answer: (request) => forUser(request, APPS_PATH, (user) => listed(deps, request, user)),
    },
    {
      path: `${APPS_PATH}/new`,
      methods: ['GET', 'POST'],
      mayFollowLogin: true,
      answer: (request) =>
        forUser(request, `${APPS_PATH}/new`, async (user) =>
          request.method === 'GET' ? blank(deps, request) : create(deps, request, user),
        ),
    },
  ];
}

async function listed(deps: DeveloperDeps, request: PageRequest, user: string): Promise<PageResponse> {
  const all = await ownedBy(deps, user);
  const { title } = words;
  const list =
    all.length === 0 ? html`<p>${words.none}</p>` : html`<ul class="entries">${joinHtml(all.map(entry), '\n')}</ul>`;
  const page = developerPage(
    title,
    request,
    APPS_PATH,
    html`<h1>${title}</h1>
${list}
<p><a class="main" href="${APPS_PATH}/new">${words.register}</a></p>`,
  );
  return { status: 200, html: page, hasForm: true };
}

async function ownedBy({ store, applicationsMax }: DeveloperDeps, owner: string): Promise<Application[]> {
  const limit = Math.max(applicationsMax, 1000);
  const all = await store.read((tx) => tx.credentials.listApplications({ owner, after: '', limit }));
  return all.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function entry({ id, name, access_level, suspended }: Application): Html {
  const state = suspended ? html` <strong>${texts.developer.suspended}</strong>` : '';
  return html`<li><h2>${monogram(name)}<a href="${APPS_PATH}/${id}">${name}</a></h2>
<p class="soft">${LEVEL_NAMES[access_level]}${state}</p></li>`;
}

function blank({ callbackSchemes: schemes }: DeveloperDeps, request: PageRequest): PageResponse {
  return form(request, { draft: { ...EMPTY_DRAFT, access_level: 'read-write' }, errors: [], schemes }, 200);
}

interface Filled {
  readonly draft: ApplicationDraft;
  readonly errors: readonly DraftError[];
  readonly schemes: readonly string[];
}

function form(request: PageRequest, filled: Filled, status: 200 | 400): PageResponse {
  const title = words.register;
  const fields = applicationForm({
    action: `${APPS_PATH}/new`,
    button: words.registerButton,
    formFields: request.formFields,
    ...filled,
  });
  return { status, html: developerPage(title, request, APPS_PATH, html`<h1>${title}</h1>${fields}`), hasForm: true };
}

async function create(deps: DeveloperDeps, request: PageRequest, user: string): Promise<PageResponse> {
  const draft = draftFromForm(request);
  const { callbackSchemes: schemes } = deps;
  const refused = (errors: readonly DraftError[]): PageResponse => form(request, { draft, errors, schemes }, 400);
  const errors = validateDraft(draft, { schemes, registered: [] });
  if (errors.length > 0) return refused(errors);
  try {
    const made = await withRegistrar(deps, async (registrar) => {
      const { credentials } = registrar.tx;
      await credentials.lockUser(user);
      const { applicationsMax: limit } = deps;
      const owned = await credentials.listApplications({ owner: user, after: '', limit });
      if (owned.length >= limit) return undefined;
      const application = await registerApplication(registrar, user, draft);
      const event = { event: 'application_created', application_id: application.id } as const;
      return { ...application, audited: await recordAudit(registrar, request, event) };
    });
    if (!made)
      return refused([
        { member: 'name', message: deps.applicationsMax === 0 ? words.closed : words.tooMany(deps.applicationsMax) },
      ]);
    const page = keysPage(request, { id: made.id, name: draft.name }, made);
    return { status: 200, html: page, hasForm: true, audited: made.audited };
  } catch (error) {
    if (!(error instanceof ConstraintViolated)) throw error;
    return refused([NAME_TAKEN]);
  }
}
