import { html } from '../../../../base/html.ts';
import type { Page, PageRequest, PageResponse } from '../../../../contract/declare/pages.ts';
import type { AuditedEvent } from '../../../../contract/store/audit.ts';
import type { Application } from '../../../../contract/store/credentials.ts';
import type { ReadTransaction } from '../../../../contract/store/store.ts';
import { hiddenFields } from '../../../../markup/boxes.ts';
import { texts } from '../../../../texts/texts.ts';
import type { Registrar } from '../../../platform/registration.ts';
import { issueOwnerToken, regenerateBearer, regenerateKeys, revokeBearer } from '../../applications/administration.ts';
import { errorPage } from '../error-pages.ts';
import { developerPage, donePage } from '../layout.ts';
import { APPS_PATH, type DeveloperDeps, forOwner, recordAudit, withRegistrar } from './owner-pages.ts';
import { secretsPage } from './secrets-page.ts';

const { renewals: words, secrets, apps } = texts.developer;

/** An action that replaces or revokes a credential, after a confirmation. */
interface Renewal {
  readonly path: keyof typeof words;
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
    event: 'keys_regenerated',
    current: async (_, { consumer_key }) => consumer_key,
    async renew(registrar, { id, consumer_key }) {
      const keys = await regenerateKeys(registrar, id, consumer_key);
      return keys
        ? [
            [apps.key, keys.consumerKey],
            [apps.secret, keys.consumerSecret],
          ]
        : [];
    },
  },
  {
    path: 'own_token',
    event: 'token_issued',
    async current(tx, { id, owner_user_id }) {
      return (await tx.credentials.findLiveTokens(owner_user_id, id)).map((token) => token.id).join(' ');
    },
    async renew(registrar, application) {
      const { token, tokenSecret } = await issueOwnerToken(registrar, application);
      return [
        [secrets.token, token],
        [secrets.tokenSecret, tokenSecret],
      ];
    },
  },
  {
    path: 'bearer',
    event: 'bearer_issued',
    current: bearerOf,
    renew: async (registrar, { id }) => [[apps.bearer, await regenerateBearer(registrar, id)]],
  },
  {
    path: 'bearer/revoke',
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
  { path, current }: Renewal,
): Promise<PageResponse> {
  const { id, name } = application;
  const from = await store.read((tx) => current(tx, application));
  const { question, text, button } = words[path];
  const title = question(name);
  const content = html`<h1>${title}</h1>
<p>${text}</p>
<form method="post" action="${APPS_PATH}/${id}/${path}">
${hiddenFields({ ...request.formFields, from })}
<div class="buttons"><button class="main" type="submit">${button}</button>
<a class="button" href="${APPS_PATH}/${id}">${texts.developer.cancel}</a></div>
</form>`;
  return { status: 200, html: developerPage(title, request, APPS_PATH, content), hasForm: true };
}

async function renew(
  deps: DeveloperDeps,
  request: PageRequest,
  { id }: Application,
  { path, event, current, renew: work }: Renewal,
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
  const told = words[path];
  if ('title' in told && rows.length > 0) {
    const page = secretsPage(request, application, { title: told.title(application.name), rows });
    return { status: 200, html: page, hasForm: true, audited };
  }
  const location = `${APPS_PATH}/${id}?saved=yes`;
  return { status: 303, location, html: donePage(request), audited };
}
