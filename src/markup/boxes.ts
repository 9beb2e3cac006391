import { type Html, html, joinHtml, noHtml } from '../base/html.ts';

/** The error of a form, announced by screen readers; empty when there is none. */
export function alertBox(message: string | undefined): Html {
  return message === undefined ? noHtml : html`<p class="alert" id="problem" role="alert">${message}</p>`;
}

/** The confirmation of an action, announced by screen readers; empty when there is none. */
export function noticeBox(message: string | undefined): Html {
  return message === undefined ? noHtml : html`<p class="notice" role="status">${message}</p>`;
}

/** The hidden inputs of a form. */
export function hiddenFields(members: Readonly<Record<string, string>>): Html {
  return hiddenPairs(Object.entries(members));
}

/** The hidden inputs of a form, where several may have the same name. */
export function hiddenPairs(pairs: readonly (readonly [name: string, value: string])[]): Html {
  return joinHtml(
    pairs.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`),
    '\n',
  );
}
