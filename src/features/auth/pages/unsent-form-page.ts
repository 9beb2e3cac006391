import { html } from '../../../base/html.ts';
import { isLoggedIn, type LateForm, type Page, type PageResponse } from '../../../contract/declare/pages.ts';
import { hiddenFields, hiddenPairs } from '../../../markup/boxes.ts';
import { texts } from '../../../texts/texts.ts';
import { errorPage } from './error-pages.ts';
import { accountPage, cardPage, redirectToLogin } from './layout.ts';
import { UNSENT_FORM_PATH as PATH } from './login-pages.ts';
import type { PagesDeps } from './pages-deps.ts';

const words = texts.login.unsent;

const QUERY = /^form=([\w-]{43})$/;
/** Members that are not kept: passwords must be entered again. */
const LEFT_OUT = /password|^session\[|^confirm$/;

/** Keeps a form whose session has ended, and redirects to the page that sends it after a login. @source decision 1101 */
export async function keepLateForm({ sentForms }: PagesDeps, form: LateForm): Promise<PageResponse> {
  const members = form.members.filter(([name]) => !LEFT_OUT.test(name));
  const location = `${PATH}?form=${await sentForms.keep({ ...form, members })}`;
  return { status: 303, location, html: cardPage(words.title) };
}

/** `/login/unsent`: offers the user who filled in a form before the session ended to send it. @source decision 1101 */
export function unsentFormPage({ sentForms }: PagesDeps): Page {
  return {
    path: PATH,
    methods: ['GET'],
    mayFollowLogin: { withQuery: QUERY },
    async answer(request) {
      const [, secret] = QUERY.exec(request.query) ?? [];
      if (secret === undefined) return errorPage('page');
      if (!isLoggedIn(request)) return redirectToLogin(`${PATH}?${request.query}`);
      const form = await sentForms.unsent(secret);
      if (form?.user !== request.user.id) return errorPage('form token');
      const content = html`<p>${words.about}</p>
<form method="post" action="${form.address}">
${hiddenFields({ ...request.formFields, form_key: form.key })}
${hiddenPairs(form.members)}
<div class="buttons"><button class="main" type="submit">${words.button}</button>
<a class="button" href="${form.address}">${words.discard}</a></div>
</form>`;
      return accountPage(words.title, request, content);
    },
  };
}
