import { type Html, html } from '../../../base/html.ts';
import type { PageDocument, PageRequest } from '../../../contract/declare/pages.ts';
import { alertBox, hiddenFields } from '../../../markup/boxes.ts';
import { cardPage } from './layout.ts';

/** The error of a code that is wrong, used, or of another time. */
export const WRONG_CODE = 'This code is wrong or was already used. Wait for the next one.';
/** The error of a code too long after the password. */
export const CODE_TOO_LATE = 'That took too long. Log in again.';

/** The page that asks users who have turned on one-time codes for one, after the password. */
export function codePage(
  request: PageRequest,
  form: {
    readonly action: string;
    readonly members: Readonly<Record<string, string>>;
    readonly isWrong: boolean;
    /** Beside the button. */
    readonly more?: Html;
  },
): PageDocument {
  const title = 'Enter your code';
  return cardPage(
    title,
    html`<h1>${title}</h1>
${alertBox(form.isWrong ? WRONG_CODE : undefined)}
<form id="code_form" method="post" action="${form.action}">
${hiddenFields({ authenticity_token: request.csrfToken, ...form.members })}
${codeField({ isWrong: form.isWrong, hasCaret: true })}
<div class="buttons"><button class="main" type="submit">Continue</button>
${form.more ?? ''}</div>
</form>`,
  );
}

/** The input for a one-time code or a recovery code. */
export function codeField({
  isWrong,
  hasCaret,
  hint = 'The 6-digit code from your authenticator app, or a recovery code.',
}: {
  readonly isWrong: boolean;
  readonly hasCaret: boolean;
  readonly hint?: string;
}): Html {
  const described = isWrong ? 'code-hint problem' : 'code-hint';
  return html`<div class="field"><label for="code">Code</label>
<p class="hint" id="code-hint">${hint}</p>
<input id="code" name="session[code]" type="text" required autocomplete="one-time-code" autocapitalize="none"
  autocorrect="off" spellcheck="false" maxlength="40" aria-describedby="${described}"${isWrong ? html` aria-invalid="true"` : ''}${hasCaret ? html` autofocus` : ''}></div>`;
}
