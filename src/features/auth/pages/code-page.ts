import { type Html, html } from '../../../base/html.ts';
import type { PageDocument, PageRequest } from '../../../contract/declare/pages.ts';
import { alertBox, hiddenFields } from '../../../markup/boxes.ts';
import { texts } from '../../../texts/texts.ts';
import { cardPage } from './layout.ts';

const words = texts.login.code;

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
  const { title } = words;
  return cardPage(
    title,
    html`<h1>${title}</h1>
${alertBox(form.isWrong ? words.wrong : undefined)}
<form id="code_form" method="post" action="${form.action}">
${hiddenFields({ ...request.formFields, ...form.members })}
${codeField({ isWrong: form.isWrong, hasCaret: true })}
<div class="buttons"><button class="main" type="submit">${words.button}</button>
${form.more ?? ''}</div>
</form>`,
  );
}

/** The input for a one-time code or a recovery code. */
export function codeField({
  isWrong,
  hasCaret,
  hint = words.hint,
}: {
  readonly isWrong: boolean;
  readonly hasCaret: boolean;
  readonly hint?: string;
}): Html {
  const described = isWrong ? 'code-hint problem' : 'code-hint';
  return html`<div class="field"><label for="code">${words.label}</label>
<p class="hint" id="code-hint">${hint}</p>
<input id="code" name="session[code]" type="text" required autocomplete="one-time-code" autocapitalize="none"
  autocorrect="off" spellcheck="false" maxlength="40" aria-describedby="${described}"${isWrong ? html` aria-invalid="true"` : ''}${hasCaret ? html` autofocus` : ''}></div>`;
}
