import { html } from 'ghtml';
import type { Page, PageAnswer, Visit } from '../../../../contract/declare/pages.ts';
import type { Application, ApplicationDraft } from '../../../../contract/store/credentials.ts';
import { ConstraintViolated } from '../../../../contract/store/store.ts';
import { registerApplication } from '../../../platform/register.ts';
import { BLANK, type DraftFault, draftFaults, NAME_TAKEN } from '../../applications/draft.ts';
import { accountDocument } from '../layout.ts';
import { monogram } from '../monogram.ts';
import { LEVEL_NAMES } from '../wordings.ts';
import { applicationForm, draftFromForm } from './form.ts';
import { DEVELOPER, type DeveloperParts, forUser, recorded, registering } from './ground.ts';
import { keysPage } from './secrets.ts';

/** `/developer/apps` and `/developer/apps/new`: what a user has registered, and more of it. @source authentication gaps 4 */
export function applicationsPages(parts: DeveloperParts): readonly Page[] {
  return [
    {
      path: DEVELOPER,
      methods: ['GET'],
      answer: (visit) => forUser(visit, DEVELOPER, (user) => listed(parts, visit, user)),
    },
    {
      path: `${DEVELOPER}/new`,
      methods: ['GET', 'POST'],
      answer: (visit) =>
        forUser(visit, `${DEVELOPER}/new`, async (user) =>
          visit.method === 'GET' ? blank(parts, visit) : create(parts, visit, user),
        ),
    },
  ];
}

async function listed(parts: DeveloperParts, visit: Visit, user: string): Promise<PageAnswer> {
  const all = await ownedBy(parts, user);
  const title = 'Your applications';
  const list =
    all.length === 0 ? '<p>You have not registered any.</p>' : `<ul class="entries">${all.map(entry).join('\n')}</ul>`;
  const page = accountDocument(
    title,
    visit,
    html`<h1>${title}</h1>
!${list}
<p><a class="main" href="${DEVELOPER}/new">Register an application</a></p>`,
  );
  return { status: 200, html: page, hasForm: true };
}

async function ownedBy({ store, applicationsMax }: DeveloperParts, owner: string): Promise<Application[]> {
  const limit = Math.max(applicationsMax, 1000);
  const all = await store.read((tx) => tx.credentials.listApplications({ owner, after: '', limit }));
  return all.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function entry({ id, name, access_level, suspended }: Application): string {
  const state = suspended ? ' <strong>Suspended</strong>' : '';
  return html`<li><h2>!${monogram(name)}<a href="${DEVELOPER}/${id}">${name}</a></h2>
<p class="soft">${LEVEL_NAMES[access_level]}!${state}</p></li>`;
}

function blank({ callbackSchemes: schemes }: DeveloperParts, visit: Visit): PageAnswer {
  return form(visit, { draft: { ...BLANK, access_level: 'read-write' }, errors: [], schemes }, 200);
}

interface Filled {
  readonly draft: ApplicationDraft;
  readonly errors: readonly DraftFault[];
  readonly schemes: readonly string[];
}

function form(visit: Visit, filled: Filled, status: 200 | 400): PageAnswer {
  const title = 'Register an application';
  const fields = applicationForm({
    action: `${DEVELOPER}/new`,
    button: 'Register',
    formToken: visit.formToken,
    ...filled,
  });
  return { status, html: accountDocument(title, visit, html`<h1>${title}</h1>!${fields}`), hasForm: true };
}

async function create(parts: DeveloperParts, visit: Visit, user: string): Promise<PageAnswer> {
  const draft = draftFromForm(visit);
  const { callbackSchemes: schemes } = parts;
  const refused = (errors: readonly DraftFault[]): PageAnswer => form(visit, { draft, errors, schemes }, 400);
  const errors = draftFaults(draft, { schemes, registered: [] });
  if (errors.length > 0) return refused(errors);
  try {
    const made = await registering(parts, async (registrar) => {
      const { credentials } = registrar.tx;
      await credentials.lockUser(user);
      const { applicationsMax: limit } = parts;
      const owned = await credentials.listApplications({ owner: user, after: '', limit });
      if (owned.length >= limit) return undefined;
      const application = await registerApplication(registrar, user, draft);
      const event = { event: 'application_created', application_id: application.id } as const;
      return { ...application, noted: await recorded(registrar, visit, event) };
    });
    if (!made) return refused([{ member: 'name', says: tooMany(parts.applicationsMax) }]);
    const page = keysPage(visit, { id: made.id, name: draft.name }, made);
    return { status: 200, html: page, hasForm: true, noted: made.noted };
  } catch (error) {
    if (!(error instanceof ConstraintViolated)) throw error;
    return refused([NAME_TAKEN]);
  }
}

function tooMany(max: number): string {
  return max === 0
    ? 'New applications are registered by those who run this service; ask them.'
    : `You have ${max} applications, and no more are allowed.`;
}
