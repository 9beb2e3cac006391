import { type Html, html, noHtml } from '../../../base/html.ts';
import type { PageRequest, PageResponse } from '../../../contract/declare/pages.ts';
import { alertBox, hiddenFields } from '../../../markup/boxes.ts';
import { texts } from '../../../texts/texts.ts';
import { cardPage } from './layout.ts';

const words = texts.login.code;

/** The page that asks users with two-step login for a code, after the password. */
export function codePage(
  request: PageRequest,
  form: {
    readonly action: string;
    readonly members: Readonly<Record<string, string>>;
    readonly isWrong: boolean;
    /** Beside the button. */
    readonly more?: Html;
  },
): PageResponse {
  const { action, members, isWrong, more = noHtml } = form;
  const content = html`${alertBox(isWrong ? words.wrong : undefined)}
<form id="code_form" method="post" action="${action}">
${hiddenFields({ ...request.formFields, ...members })}
${codeField({ isWrong, hasFocus: true })}
<div class="buttons"><button class="main" type="submit">${words.button}</button>
${more}</div>
</form>`;
  return { status: isWrong ? 401 : 200, html: cardPage(words.title, content), hasForm: true };
}

/** The input for a one-time code or a recovery code. */
export function codeField({
  isWrong,
  hasFocus,
  hint = words.hint,
}: {
  readonly isWrong: boolean;
  readonly hasFocus: boolean;
  readonly hint?: string;
}): Html {
  return html`<div class="field"><label for="code">${words.label}</label>
<p class="hint" id="code-hint">${hint}</p>
<input id="code" name="session[code]" type="text" required autocomplete="one-time-code" autocapitalize="none"
  autocorrect="off" spellcheck="false" maxlength="40" aria-describedby="${isWrong ? 'code-hint problem' : 'code-hint'}"${isWrong ? html` aria-invalid="true"` : ''}${hasFocus ? html` autofocus` : ''}></div>`;
}
