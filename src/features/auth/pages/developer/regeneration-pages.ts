import { html } from '../../../../base/html.ts';
import type { Page, PageResponse, UserRequest } from '../../../../contract/declare/pages.ts';
import type { AuditedEvent } from '../../../../contract/store/audit.ts';
import type { Application } from '../../../../contract/store/credentials.ts';
import { hiddenFields } from '../../../../markup/boxes.ts';
import type { ReadTransaction } from '../../../../storage/unit-of-work.ts';
import { texts } from '../../../../texts/texts.ts';
import type { Registrar } from '../../../platform/registration.ts';
import { issueOwnerToken, regenerateBearer, regenerateKeys, revokeBearer } from '../../applications/administration.ts';
import { errorPage } from '../error-pages.ts';
import { developerPage, redirect } from '../layout.ts';
import type { PagesDeps } from '../pages-deps.ts';
import { APPS_PATH, applicationSecrets, ownerPage, recordAudit, withRegistrar } from './owner-pages.ts';

const { renewals: words, secrets, apps } = texts.developer;

/** An action that replaces or revokes a credential, after a confirmation. */
interface Renewal {
  readonly path: keyof typeof words;
  readonly event: AuditedEvent['event'];
  /** Version of the credential: a form sent twice replaces it once. Empty when there is none yet. @source decision 98 */
  current(tx: ReadTransaction, application: Application): Promise<string>;
  /** Replaces or revokes the credential; returns the new one, which cannot be shown again. */
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
      const { consumerKey, consumerSecret } = (await regenerateKeys(registrar, id, consumer_key))!;
      return [
        [apps.key, consumerKey],
        [apps.secret, consumerSecret],
      ];
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
 * @source authentication 4
 */
export function regenerationPages(deps: PagesDeps): readonly Page[] {
  return RENEWALS.map((renewal) =>
    ownerPage(
      deps,
      `/${renewal.path}`,
      (_, request, application) => confirm(deps, request, application, renewal),
      (_, request, application) => renew(deps, request, application.id, renewal),
    ),
  );
}

async function confirm(
  { store }: PagesDeps,
  request: UserRequest,
  application: Application,
  { path, current }: Renewal,
): Promise<PageResponse> {
  const { id, name } = application;
  const from = await store.read((tx) => current(tx, application));
  const { question, text, button } = words[path];
  const content = html`<p>${text}</p>
<form method="post" action="${APPS_PATH}/${id}/${path}">
${hiddenFields({ ...request.formFields, from })}
<div class="buttons"><button class="main" type="submit">${button}</button>
<a class="button" href="${APPS_PATH}/${id}">${texts.developer.cancel}</a></div>
</form>`;
  return developerPage(question(name), request, APPS_PATH, content);
}

async function renew(deps: PagesDeps, request: UserRequest, id: string, renewal: Renewal): Promise<PageResponse> {
  const { path, event } = renewal;
  return withRegistrar(deps, async (registrar) => {
    // Under a lock: reloading the page that shows the secrets must not replace them again.
    const application = (await registrar.tx.credentials.lockApplication(id))!;
    const version = await renewal.current(registrar.tx, application);
    if (version !== request.parameter('from')) return errorPage('done before');
    const rows = await renewal.renew(registrar, application);
    const audited = await recordAudit(registrar, request, { event, application_id: id });
    const text = words[path];
    if (!('title' in text)) return redirect(request, `${APPS_PATH}/${id}?saved=yes`, audited);
    return { ...applicationSecrets(text.title(application.name), request, application, rows), audited };
  });
}
