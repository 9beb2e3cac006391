import { html } from 'ghtml';
import type { Page, PageAnswer, Visit } from '../../../../contract/declare/pages.ts';
import type { AccessToken, Application, ApplicationDraft } from '../../../../contract/store/credentials.ts';
import type { BearerToken } from '../../../../contract/store/grants.ts';
import { ConstraintViolated } from '../../../../contract/store/store.ts';
import { changeApplication } from '../../applications/administer.ts';
import { type DraftFault, draftFaults, draftOf, NAME_TAKEN } from '../../applications/draft.ts';
import { dayElement } from '../days.ts';
import { accountDocument, noticeOf } from '../layout.ts';
import { LEVEL_NAMES } from '../wordings.ts';
import { callbackTrial } from './callback-trial.ts';
import { applicationForm, draftFromForm } from './form.ts';
import { DEVELOPER, type DeveloperParts, forOwner, recorded } from './ground.ts';
import { type Holders, holdersOf, holdersSection } from './holders.ts';

/** `/developer/apps/:id`: an application, its settings, keys and tokens. @source authentication gaps 4 */
export function applicationPage(parts: DeveloperParts): Page {
  return {
    path: `${DEVELOPER}/:id`,
    methods: ['GET', 'POST'],
    answer: (visit) =>
      forOwner(parts, visit, (application) =>
        visit.method === 'GET'
          ? page(parts, visit, application, { draft: draftOf(application), errors: [] })
          : change(parts, visit, application),
      ),
  };
}

async function change(parts: DeveloperParts, visit: Visit, application: Application): Promise<PageAnswer> {
  const draft = draftFromForm(visit);
  const { callbacks: registered } = draftOf(application);
  const errors = draftFaults(draft, { schemes: parts.callbackSchemes, registered });
  if (errors.length > 0) return page(parts, visit, application, { draft, errors });
  try {
    const noted = await parts.store.write(async (tx) => {
      await changeApplication(tx, application.id, draft);
      return recorded({ tx }, visit, { event: 'application_changed', application_id: application.id });
    });
    const location = `${DEVELOPER}/${application.id}?saved=yes`;
    return { status: 303, location, html: accountDocument('Saved', visit, '<h1>Saved</h1>'), noted };
  } catch (error) {
    if (!(error instanceof ConstraintViolated)) throw error;
    return page(parts, visit, application, { draft, errors: [NAME_TAKEN] });
  }
}

interface Standing {
  readonly own: AccessToken | undefined;
  readonly bearer: BearerToken | undefined;
  readonly holders: Holders;
}

async function page(
  { store, callbackSchemes: schemes }: DeveloperParts,
  visit: Visit,
  application: Application,
  form: { readonly draft: ApplicationDraft; readonly errors: readonly DraftFault[] },
): Promise<PageAnswer> {
  const { id, name, owner_user_id: owner } = application;
  const standing = await store.read(async (tx) => ({
    own: (await tx.credentials.findLiveTokens(owner, id)).at(-1),
    bearer: await tx.bearerTokens.findOutstanding(id),
    holders: await holdersOf(tx, application),
  }));
  const saved = visit.parameter('saved') === 'yes' ? 'Saved.' : undefined;
  const suspended = '<p class="alert">This application is suspended: everything that it asks for is refused.</p>';
  const content = html`<h1>${name}</h1>
!${noticeOf(saved)}
!${application.suspended ? suspended : ''}
!${credentials(application, standing)}
<section><h2>Settings</h2>
!${applicationForm({ action: `${DEVELOPER}/${id}`, button: 'Save', formToken: visit.formToken, schemes, ...form })}
</section>
!${callbackTrial(application, visit.method === 'GET' ? visit.parameter('callback') : undefined)}
!${holdersSection(application, standing.holders)}`;
  return { status: form.errors.length > 0 ? 400 : 200, html: accountDocument(name, visit, content), hasForm: true };
}

/** What the application signs with, and the ways to replace it. */
function credentials({ id, consumer_key, access_level }: Application, { own, bearer }: Standing): string {
  const path = `${DEVELOPER}/${id}`;
  const ownState = own
    ? html`${LEVEL_NAMES[own.access_level]}, given !${dayElement(own.created_at)}`
    : 'None. It lets the application act for you without logging in through a browser.';
  const older =
    own && own.access_level !== access_level
      ? html`<p class="alert">Its level differs from that of the application.</p>`
      : '';
  const bearerState = bearer ? html`Issued !${dayElement(bearer.created_at)}` : 'None.';
  return html`<section><h2>Keys and tokens</h2>
<dl class="credentials">
<dt>Consumer key</dt>
<dd><code>${consumer_key}</code><p class="soft">The secret was shown when the key was made.</p>
<a href="${path}/keys">Regenerate key and secret</a></dd>
<dt>Your access token</dt>
<dd><p>!${ownState}</p>!${older}<a href="${path}/own_token">${own ? 'Regenerate your token' : 'Create your token'}</a></dd>
<dt>Bearer token</dt>
<dd><p>!${bearerState}</p><a href="${path}/bearer">${bearer ? 'Regenerate bearer token' : 'Create bearer token'}</a>
!${bearer ? html` <a href="${path}/bearer/revoke">Revoke bearer token</a>` : ''}</dd>
<dt>Webhooks</dt>
<dd><a href="${path}/webhooks">Webhooks and deliveries</a></dd>
</dl></section>`;
}
