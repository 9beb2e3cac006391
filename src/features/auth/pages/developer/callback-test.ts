import { type Html, html } from '../../../../base/html.ts';
import type { Application } from '../../../../contract/store/credentials.ts';
import { texts } from '../../../../texts/texts.ts';
import { callbackUrlError, nearestCallback, refuseCallback } from '../../callback-urls.ts';
import { APPS_PATH } from './owner-pages.ts';

const words = texts.developer.apps;

/** The form that tests an address against the registered callbacks. @source authentication gaps 4.1 */
export function callbackTest(application: Application, tried: string | undefined): Html {
  const verdict = tried === undefined || tried === '' ? '' : verdictOn(application, tried);
  return html`<section id="trial"><h2>${words.test}</h2>
${verdict}
<form method="get" action="${APPS_PATH}/${application.id}#trial">
<div class="field"><label for="callback">${words.testLabel}</label>
<input id="callback" name="callback" value="${tried ?? ''}" required spellcheck="false" autocapitalize="none"></div>
<div class="buttons"><button type="submit">${words.testButton}</button></div>
</form></section>`;
}

function verdictOn(application: Application, tried: string): Html {
  const error = refuseCallback(application, tried);
  if (error === undefined)
    return html`<p class="notice" role="status">${words.accepted(html`<code>${tried}</code>`)}</p>`;
  return html`<div class="alert" role="alert"><p>${words.refused(html`<code>${tried}</code>`, reason(application, tried, error))}</p></div>`;
}

function reason(
  application: Application,
  tried: string,
  error: NonNullable<ReturnType<typeof refuseCallback>>,
): string {
  if (error === 'not oob') return words.onlyOob;
  const wrong = callbackUrlError(tried);
  if (wrong !== undefined) return words.wrongCallback(wrong);
  const nearest = nearestCallback(application, tried);
  return words.nearest(nearest);
}
