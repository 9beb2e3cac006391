import { html } from '../../../../base/html.ts';
import type { Page, PageRequest, PageResponse } from '../../../../contract/declare/pages.ts';
import type { AuditedEvent } from '../../../../contract/store/audit.ts';
import type { Application } from '../../../../contract/store/credentials.ts';
import type { ReadTransaction } from '../../../../contract/store/store.ts';
import { hiddenFields } from '../../../../markup/boxes.ts';
import type { Registrar } from '../../../platform/registration.ts';
import { issueOwnerToken, regenerateBearer, regenerateKeys, revokeBearer } from '../../applications/administration.ts';
import { errorPage } from '../error-pages.ts';
import { developerPage } from '../layout.ts';
import { APPS_PATH, type DeveloperDeps, forOwner, recordAudit, withRegistrar } from './owner-pages.ts';
import { secretsPage } from './secrets-page.ts';

/** An action that replaces or revokes a credential, after a confirmation. */
interface Renewal {
  readonly path: string;
  readonly question: (name: string) => string;
  readonly text: string;
  readonly button: string;
  /** The heading of the new credential. */
  readonly title?: (name: string) => string;
  readonly event: AuditedEvent['event'];
  /**
   * Identifies the current credential, so that one form replaces it once; empty when there is none yet.
   * @source decision 98
   */
  current(tx: ReadTransaction, application: Application): Promise<string>;
  /** Replaces or revokes the credential; returns the new one, to be shown once. */
  renew(registrar: Registrar, application: Application): Promise<readonly (readonly [name: string, value: string])[]>;
}

const bearerOf = async (tx: ReadTransaction, { id }: Application): Promise<string> =>
  (await tx.bearerTokens.findOutstanding(id))?.id ?? '';

const RENEWALS: readonly Renewal[] = [
  {
    path: 'keys',
    question: (name) => `Regenerate the keys of ${name}?`,
    text: 'The current key and secret stop working immediately, together with the bearer token and logins in progress. User access tokens keep working with the new keys.',
    button: 'Regenerate keys',
    title: (name) => `The new keys of ${name}`,
    event: 'keys_regenerated',
    current: async (_, { consumer_key }) => consumer_key,
    async renew(registrar, { id, consumer_key }) {
      const keys = await regenerateKeys(registrar, id, consumer_key);
      return keys
        ? [
            ['Consumer key', keys.consumerKey],
            ['Consumer secret', keys.consumerSecret],
          ]
        : [];
    },
  },
  {
    path: 'own_token',
    question: (name) => `Create your access token for ${name}?`,
    text: 'It gets the current access level of the application. Your existing tokens for the application are revoked.',
    button: 'Create token',
    title: (name) => `Your access token for ${name}`,
    event: 'token_issued',
    async current(tx, { id, owner_user_id }) {
      return (await tx.credentials.findLiveTokens(owner_user_id, id)).map((token) => token.id).join(' ');
    },
    async renew(registrar, application) {
      const { token, tokenSecret } = await issueOwnerToken(registrar, application);
      return [
        ['Access token', token],
        ['Access token secret', tokenSecret],
      ];
    },
  },
  {
    path: 'bearer',
    question: (name) => `Create a new bearer token for ${name}?`,
    text: 'An application has one bearer token: the current one is revoked immediately.',
    button: 'Create bearer token',
    title: (name) => `The bearer token of ${name}`,
    event: 'bearer_issued',
    current: bearerOf,
    renew: async (registrar, { id }) => [['Bearer token', await regenerateBearer(registrar, id)]],
  },
  {
    path: 'bearer/revoke',
    question: (name) => `Revoke the bearer token of ${name}?`,
    text: 'Requests that use it are refused from now on. Your application can request a new one at any time.',
    button: 'Revoke bearer token',
    event: 'bearer_revoked',
    current: bearerOf,
    async renew({ tx, now }, { id }) {
      await revokeBearer(tx, id, now);
      return [];
    },
  },
];

/**
 * The pages that replace keys and tokens of an application: a confirmation, then the result.
 * @source authentication gaps 4
 */
export function regenerationPages(deps: DeveloperDeps): readonly Page[] {
  return RENEWALS.map((renewal) => ({
    path: `${APPS_PATH}/:id/${renewal.path}`,
    methods: ['GET', 'POST'],
    answer: (request) =>
      forOwner(deps, request, (application) =>
        request.method === 'GET'
          ? ask(deps, request, application, renewal)
          : renew(deps, request, application, renewal),
      ),
  }));
}

async function ask(
  { store }: DeveloperDeps,
  request: PageRequest,
  application: Application,
  { path, question, text, button, current }: Renewal,
): Promise<PageResponse> {
  const { id, name } = application;
  const from = await store.read((tx) => current(tx, application));
  const title = question(name);
  const content = html`<h1>${title}</h1>
<p>${text}</p>
<form method="post" action="${APPS_PATH}/${id}/${path}">
${hiddenFields({ authenticity_token: request.csrfToken, from })}
<div class="buttons"><button class="main" type="submit">${button}</button>
<a class="button" href="${APPS_PATH}/${id}">Cancel</a></div>
</form>`;
  return { status: 200, html: developerPage(title, request, APPS_PATH, content), hasForm: true };
}

async function renew(
  deps: DeveloperDeps,
  request: PageRequest,
  { id }: Application,
  { title, event, current, renew: work }: Renewal,
): Promise<PageResponse> {
  const done = await withRegistrar(deps, async (registrar) => {
    // Under a lock: reloading the page that shows the secrets must not replace them again.
    const application = (await registrar.tx.credentials.lockApplication(id))!;
    const isSame = (await current(registrar.tx, application)) === request.parameter('from');
    if (!isSame) return undefined;
    const rows = await work(registrar, application);
    return { application, rows, audited: await recordAudit(registrar, request, { event, application_id: id }) };
  });
  if (!done) return errorPage('done before');
  const { application, rows, audited } = done;
  if (title && rows.length > 0) {
    const page = secretsPage(request, application, { title: title(application.name), rows });
    return { status: 200, html: page, hasForm: true, audited };
  }
  const location = `${APPS_PATH}/${id}?saved=yes`;
  return { status: 303, location, html: developerPage('Done', request, APPS_PATH, html`<h1>Done</h1>`), audited };
}
