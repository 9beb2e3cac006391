import { html } from '../../../base/html.ts';
import type { PageDocument } from '../../../contract/declare/pages.ts';
import type { Application } from '../../../contract/store/credentials.ts';
import { texts } from '../../../texts/texts.ts';
import { displayHost, isCustomScheme } from './callback-target.ts';
import { cardPage } from './layout.ts';

const words = texts.login.consent;

/**
 * The page with the PIN, which is never part of a URL, and how long it is valid.
 * @source authentication 6.4 and 6.6
 */
export function pinPage({ name }: Application, pin: string, lasts_s: number): PageDocument {
  return cardPage(
    words.given(name),
    html`<p id="code-desc">${words.enter(name)}</p>
<div id="oauth_pin"><kbd aria-labelledby="code-desc"><code>${pin}</code></kbd></div>
<p class="soft">${words.once(lasts_s)}</p>`,
  );
}

/** The page after the user denied access; `back` is the callback that reports it. */
export function deniedPage({ name }: Application, back: string | undefined): PageDocument {
  return cardPage(
    words.denied(name),
    html`<p>${words.deniedAbout}</p>
${back === undefined ? '' : html`<p><a href="${back}">${words.back(name)}</a></p>`}`,
  );
}

/** The page of a redirect. It has a link, because some browsers do not follow redirects into other programs. */
export function leavingPage({ name }: Application, location: string): PageDocument {
  const link = isCustomScheme(location) ? words.open : words.goOn(displayHost(location));
  return cardPage(
    words.leaving(name),
    html`<p>${words.leavingAbout}</p>
<p><a class="main" href="${location}">${link}</a></p>`,
  );
}
