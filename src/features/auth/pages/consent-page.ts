import { type Html, html } from '../../../base/html.ts';
import type { PageDocument, PageRequest } from '../../../contract/declare/pages.ts';
import type { Application } from '../../../contract/store/credentials.ts';
import type { RequestToken } from '../../../contract/store/grants.ts';
import { alertBox, hiddenFields } from '../../../markup/boxes.ts';
import { texts } from '../../../texts/texts.ts';
import { permissionsOf } from './access-levels.ts';
import type { AuthorizeState, AuthorizeView } from './authorize-view.ts';
import { displayHost, usesPin } from './callback-target.ts';
import { loginFields } from './layout.ts';
import { monogram } from './monogram.ts';

const words = texts.login.consent;

/** The values of the consent form. */
export interface ConsentForm {
  readonly endpoint: AuthorizeState['endpoint'];
  readonly view: Exclude<AuthorizeView, 'redirect'>;
  readonly application: Application;
  readonly requestToken: RequestToken;
  /** A user who is logged in must log in again. */
  readonly forced: boolean;
  /** The initial value of the user name. */
  readonly name: string;
  readonly problem: string | undefined;
}

/** The consent page; scripts rely on the names and ids of its form. @source authentication 6.3 and 6.6 */
export function consentPage(request: PageRequest, form: ConsentForm): PageDocument {
  const { application, view, endpoint, requestToken, forced, name, problem } = form;
  const { serviceName, formFields } = request;
  const isLoginOnly = view === 'login';
  const title = (isLoginOnly ? words.logIn : words.title)(serviceName, application.name);
  const members = {
    ...formFields,
    oauth_token: requestToken.token,
    ...(forced && { force_login: 'true' }),
    ...(isLoginOnly && { step: 'login' }),
  };
  const content = html`${monogram(application.name)}
<h1>${title}</h1>
${publisher(application)}
${isLoginOnly ? '' : abilities(requestToken, application)}
<form id="oauth_form" method="post" action="/oauth/${endpoint}">
${hiddenFields(members)}
${alertBox(problem)}
${view === 'consent' ? loggedInAs(request, form) : loginFields({ name, isWrong: problem !== undefined, isFirst: isLoginOnly })}
<p class="soft">${usesPin(requestToken) ? words.pin : words.redirect(displayHost(requestToken.callback))}</p>
<div class="buttons">
<button class="main" type="submit" id="allow">${isLoginOnly ? texts.login.button : words.allow}</button>
<button type="submit" id="cancel" name="cancel" value="Cancel" formnovalidate>${texts.login.cancel}</button>
</div>
</form>
${isLoginOnly ? '' : revocable()}`;
  return { title, content };
}

/** The note that access can be revoked. @source authentication 6.3 */
const revocable = () => html`<p class="soft">${words.revoke('/settings/connected_apps')}</p>`;

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
  const list = (items: readonly string[], kind: 'can' | 'cannot'): Html =>
    html`<section><h2>${words[kind]}</h2><ul class="${kind}">${items.map((item) => html`<li>${item}</li>`)}</ul></section>`;
  return html`${list(can, 'can')}
${list(cannot, 'cannot')}`;
}

function loggedInAs({ user, serviceName }: PageRequest, { endpoint, requestToken }: ConsentForm): Html {
  const again = `/oauth/${endpoint}?${new URLSearchParams({ oauth_token: requestToken.token, force_login: 'true' })}`;
  return html`<p class="who">${words.who(serviceName, user!.name, user!.screen_name)}
  <a href="${again}">${words.notYou}</a></p>`;
}
