import { type Html, html } from '../../../base/html.ts';
import type { FormFields, PageDocument } from '../../../contract/declare/pages.ts';
import type { Application, User } from '../../../contract/store/credentials.ts';
import type { RequestToken } from '../../../contract/store/grants.ts';
import { alertBox, hiddenFields } from '../../../markup/boxes.ts';
import { texts } from '../../../texts/texts.ts';
import { permissionsOf } from './access-levels.ts';
import type { AuthorizeView } from './authorize-view.ts';
import { displayHost, usesPin } from './callback-target.ts';
import { cardPage, loginFields } from './layout.ts';
import { monogram } from './monogram.ts';

const words = texts.login.consent;

/** The values of the consent form. */
export interface ConsentOptions {
  /** The name of the service whose users log in. */
  readonly serviceName: string;
  readonly endpoint: 'authorize' | 'authenticate';
  readonly view: Exclude<AuthorizeView, 'redirect'>;
  readonly application: Application;
  readonly requestToken: RequestToken;
  readonly user: User | undefined;
  readonly formFields: FormFields;
  readonly forcesLogin: boolean;
  /** The initial value of the user name. */
  readonly userName: string;
  readonly problem: string | undefined;
}

/** The consent page; scripts rely on the names and ids of its form. @source authentication gaps 6.3 and 6.6 */
export function consentPage(form: ConsentOptions): PageDocument {
  const {
    application,
    view,
    endpoint,
    requestToken,
    formFields,
    forcesLogin,
    userName: name,
    problem,
    serviceName,
  } = form;
  const asksLogin = view !== 'consent';
  const title =
    view === 'login' ? words.logIn(serviceName, application.name) : words.title(serviceName, application.name);
  const members = {
    ...formFields,
    oauth_token: requestToken.token,
    ...(forcesLogin && { force_login: 'true' }),
    ...(view === 'login' && { step: 'login' }),
  };
  return cardPage(
    title,
    html`${monogram(application.name)}
<h1>${title}</h1>
${publisher(application)}
${view === 'login' ? '' : abilities(requestToken, application)}
<form id="oauth_form" method="post" action="/oauth/${endpoint}">
${hiddenFields(members)}
${alertBox(problem)}
${asksLogin ? loginFields({ name, isWrong: problem !== undefined, isFirst: view === 'login' }) : whoIs(form)}
${whereTo(requestToken)}
<div class="buttons">
<button class="main" type="submit" id="allow">${view === 'login' ? texts.login.button : words.allow}</button>
<button type="submit" id="cancel" name="cancel" value="Cancel" formnovalidate>${texts.login.cancel}</button>
</div>
</form>
${view === 'login' ? '' : WITHDRAW}`,
  );
}

/** The note that access can be revoked. @source authentication gaps 6.3 */
const WITHDRAW = html`<p class="soft">${words.revoke('/settings/connected_apps')}</p>`;

/** The description, publisher and links of an application. */
function publisher(application: Application): Html {
  const { description, organization_name: name, organization_url, website_url, terms_url, privacy_url } = application;
  const about = description === '' ? '' : html`<p>${description}</p>`;
  const by = name === '' ? '' : html`<p class="soft">${words.by(linked(name, organization_url))}</p>`;
  const links = [
    website_url && linked(displayHost(website_url), website_url),
    terms_url && linked(words.terms, terms_url),
    privacy_url && linked(words.privacy, privacy_url),
  ].filter((link) => link !== '');
  const more = links.length === 0 ? '' : html`<ul class="links">${links.map((link) => html`<li>${link}</li>`)}</ul>`;
  return html`${about}${by}${more}`;
}

/** A link if the address is a web address; otherwise the text alone. */
function linked(text: string, address: string): Html {
  return /^https?:\/\//i.test(address) ? html`<a href="${address}" rel="noreferrer">${text}</a>` : html`${text}`;
}

function abilities({ access_level }: RequestToken, { email_access }: Application): Html {
  const { can, cannot } = permissionsOf(access_level, email_access === 1);
  const list = (items: readonly string[], kind: string): Html =>
    html`<ul class="${kind}">${items.map((item) => html`<li>${item}</li>`)}</ul>`;
  return html`<section><h2>${words.can}</h2>${list(can, 'can')}</section>
<section><h2>${words.cannot}</h2>${list(cannot, 'cannot')}</section>`;
}

function whoIs({ user, endpoint, requestToken, serviceName }: ConsentOptions): Html {
  const again = `/oauth/${endpoint}?${new URLSearchParams({ oauth_token: requestToken.token, force_login: 'true' })}`;
  return html`<p class="who">${words.who(serviceName, user!.name, user!.screen_name)}
  <a href="${again}">${words.notYou}</a></p>`;
}

function whereTo(requestToken: RequestToken): Html {
  if (usesPin(requestToken)) return html`<p class="soft">${words.pin}</p>`;
  return html`<p class="soft">${words.redirect(displayHost(requestToken.callback))}</p>`;
}
