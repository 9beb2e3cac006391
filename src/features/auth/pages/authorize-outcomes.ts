import { html } from '../../../base/html.ts';
import type { PageDocument } from '../../../contract/declare/pages.ts';
import type { Application } from '../../../contract/store/credentials.ts';
import { displayHost, isCustomScheme } from './callback-target.ts';
import { cardPage } from './layout.ts';

/**
 * The page with the PIN, which is never part of a URL, and how long it is valid.
 * @source authentication gaps 6.4 and 6.6
 */
export function pinPage(application: Application, pin: string, lasts_s: number): PageDocument {
  const title = `You have given ${application.name} access`;
  return cardPage(
    title,
    html`<h1>${title}</h1>
<p id="code-desc">Go back to ${application.name} and enter this code:</p>
<div id="oauth_pin"><kbd aria-labelledby="code-desc"><code>${pin}</code></kbd></div>
<p class="soft">It works once, for the next ${lasts(lasts_s)}. You can close this page afterwards.</p>`,
  );
}

/** The page after the user denied access; `back` is the callback that reports it. */
export function deniedPage(application: Application, back: string | undefined): PageDocument {
  const title = `${application.name} was not authorized`;
  const link = back === undefined ? '' : html`<p><a href="${back}">Go back to ${application.name}</a></p>`;
  return cardPage(
    title,
    html`<h1>${title}</h1>
<p>Nothing has changed in your account.</p>
${link}`,
  );
}

/** The page of a redirect. It has a link, because some browsers do not follow redirects into other programs. */
export function leavingPage(application: Application, location: string): PageDocument {
  const title = `Going back to ${application.name}`;
  const what = isCustomScheme(location) ? 'Open the application' : `Go on to ${displayHost(location)}`;
  return cardPage(
    title,
    html`<h1>${title}</h1>
<p>If you are not redirected, follow this link.</p>
<p><a class="main" href="${location}">${what}</a></p>`,
  );
}

function lasts(seconds: number): string {
  const minutes = Math.floor(seconds / 60);
  if (minutes < 2) return `${seconds} seconds`;
  return minutes === 10 ? 'ten minutes' : `${minutes} minutes`;
}
