import { html } from '../../../base/html.ts';
import { formatInstant } from '../../../base/instants.ts';
import type { Page, PageResponse, UserRequest } from '../../../contract/declare/pages.ts';
import { hiddenFields } from '../../../markup/boxes.ts';
import { errorSummary, type FieldErrors, formField } from '../../../markup/form-fields.ts';
import { texts } from '../../../texts/texts.ts';
import { setPassword } from '../../platform/user-status.ts';
import { hasSecondFactor } from '../logins/second-factor.ts';
import { noticeAfter, redirect, settingsPage, userPage } from './layout.ts';
import { newPasswordFields, readNewPassword } from './new-password-fields.ts';
import type { PagesDeps } from './pages-deps.ts';
import { checkReauthentication } from './reauthentication.ts';

const words = texts.settings.password;

const PATH = '/settings/password';

/** `/settings/password`: changes the password, which ends all other sessions of the user. @source decision 502 */
export function passwordPage(deps: PagesDeps): Page {
  return userPage(deps, PATH, (_, request) => render(deps, request, {}, 200), change);
}

async function change(deps: PagesDeps, request: UserRequest): Promise<PageResponse> {
  const { user } = request;
  const { password, errors } = readNewPassword(request, user, deps.passwords);
  if (Object.keys(errors).length > 0) return render(deps, request, errors, 400);
  const refuse = (wrong: string): Promise<PageResponse> => {
    const own: FieldErrors = wrong === 'code' ? { code: words.wrongCode } : { current_password: words.wrongCurrent };
    return render(deps, request, own, 401);
  };
  return checkReauthentication(deps, request, refuse, async () => {
    const hash = await deps.hashPassword(password);
    const now = formatInstant(deps.wallClock.now());
    const keeps = request.session?.id_hash;
    const event = { event: 'password_changed', user_id: user.id } as const;
    await deps.store.write(async (tx) => {
      await setPassword(tx, user.id, { hash, now, keeps });
      await request.record(tx, event);
    });
    const deviceCookie = deps.devices.afterLogin(request.deviceCookie, user.id);
    return { ...redirect(request, `${PATH}?changed=yes`, [event]), deviceCookie };
  });
}

const currentField = () =>
  ({
    member: 'current_password',
    name: 'session[password]',
    label: words.current,
    type: 'password',
    attributes: html`required autocomplete="current-password" maxlength="1000"`,
  }) as const;

const codeField = () => ({
  member: 'code',
  name: 'session[code]',
  label: texts.login.code.label,
  hint: texts.login.code.hint,
  attributes: html`required autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="40"`,
});

async function render(
  deps: PagesDeps,
  request: UserRequest,
  errors: FieldErrors,
  status: number,
): Promise<PageResponse> {
  const { user, formFields } = request;
  const needsCode = await hasSecondFactor(deps, user.id);
  const content = html`${noticeAfter(request, 'changed', words.changed)}${errorSummary(words.wrong, errors)}
<p class="soft">${words.about}</p>
<form method="post" action="${PATH}">
${hiddenFields(formFields)}
<input type="text" name="username" value="${user.screen_name}" autocomplete="username" hidden>
${formField(currentField(), '', errors.current_password)}
${needsCode ? formField(codeField(), '', errors.code) : ''}
${newPasswordFields(deps.passwords, errors)}
<div class="buttons"><button class="main" type="submit">${words.button}</button></div>
</form>`;
  return settingsPage(words.title, request, PATH, content, status);
}
