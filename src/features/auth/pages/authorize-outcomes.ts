import { html } from '../../../base/html.ts';
import type { PageDocument } from '../../../contract/declare/pages.ts';
import type { Application } from '../../../contract/store/credentials.ts';
import { texts } from '../../../texts/texts.ts';
import { displayHost, isCustomScheme } from './callback-target.ts';
import { cardPage } from './layout.ts';

const words = texts.login.consent;

/**
 * The page with the PIN, which is never part of a URL, and how long it is valid.
 * @source authentication gaps 6.4 and 6.6
 */
export function pinPage(application: Application, pin: string, lasts_s: number): PageDocument {
  const title = words.given(application.name);
  return cardPage(
    title,
    html`<h1>${title}</h1>
<p id="code-desc">${words.enter(application.name)}</p>
<div id="oauth_pin"><kbd aria-labelledby="code-desc"><code>${pin}</code></kbd></div>
<p class="soft">${words.once(lasts_s)}</p>`,
  );
}

/** The page after the user denied access; `back` is the callback that reports it. */
export function deniedPage(application: Application, back: string | undefined): PageDocument {
  const title = words.denied(application.name);
  const link = back === undefined ? '' : html`<p><a href="${back}">${words.back(application.name)}</a></p>`;
  return cardPage(
    title,
    html`<h1>${title}</h1>
<p>${words.deniedAbout}</p>
${link}`,
  );
}

/** The page of a redirect. It has a link, because some browsers do not follow redirects into other programs. */
export function leavingPage(application: Application, location: string): PageDocument {
  const title = words.leaving(application.name);
  const what = isCustomScheme(location) ? words.open : words.goOn(displayHost(location));
  return cardPage(
    title,
    html`<h1>${title}</h1>
<p>${words.leavingAbout}</p>
<p><a class="main" href="${location}">${what}</a></p>`,
  );
}
