import { html } from '../../../base/html.ts';
import { formatInstant } from '../../../base/instants.ts';
import type { Page, PageRequest, PageResponse } from '../../../contract/declare/pages.ts';
import { hiddenFields, noticeBox } from '../../../markup/boxes.ts';
import { errorSummary, type FieldErrors, formField } from '../../../markup/form-fields.ts';
import { texts } from '../../../texts/texts.ts';
import type { PasswordRules } from '../../platform/password-rules.ts';
import { setPassword } from '../../platform/user-status.ts';
import { type LoginDeps, reauthenticate } from '../logins/log-in.ts';
import { hasSecondFactor } from '../logins/second-factor.ts';
import { errorPage } from './error-pages.ts';
import { donePage, settingsPage } from './layout.ts';
import { redirectToLogin } from './login-pages.ts';
import { newPasswordFields, readNewPassword } from './new-password-fields.ts';

const words = texts.settings.password;

const PATH = '/settings/password';

/** The dependencies of pages that set passwords. */
export interface PasswordDeps extends LoginDeps {
  readonly passwords: PasswordRules;
  /** Hashes a password. Slow, so never called inside a unit of work. */
  hashPassword(password: string): Promise<string>;
}

/** `/settings/password`: changes the password, which ends all other sessions of the user. @source decision 502 */
export function passwordPage(deps: PasswordDeps): Page {
  return {
    path: PATH,
    methods: ['GET', 'POST'],
    mayFollowLogin: true,
    async answer(request) {
      if (!request.user) return redirectToLogin(PATH);
      return request.method === 'POST' ? change(deps, request) : renderPage(deps, request, {}, 200);
    },
  };
}

async function change(deps: PasswordDeps, request: PageRequest): Promise<PageResponse> {
  const user = request.user!;
  const { password, errors } = readNewPassword(request, user, deps.passwords);
  if (Object.keys(errors).length > 0) return renderPage(deps, request, errors, 400);
  const outcome = await reauthenticate(deps, request);
  if ('wait_s' in outcome) return { ...errorPage('too many logins', outcome.wait_s), audited: outcome.audited };
  if ('wrong' in outcome) {
    const wrong: FieldErrors =
      outcome.wrong === 'code' ? { code: words.wrongCode } : { current_password: words.wrongCurrent };
    const answer = await renderPage(deps, request, wrong, 401);
    return { ...answer, audited: [{ event: 'reauthentication_failed', user_id: user.id }] };
  }
  const hash = await deps.hashPassword(password);
  const now = formatInstant(deps.wallClock.now());
  const keeps = request.session?.id_hash;
  const event = { event: 'password_changed', user_id: user.id } as const;
  await deps.store.write(async (tx) => {
    await setPassword(tx, user.id, { hash, now, keeps });
    await request.record(tx, event);
  });
  return {
    status: 303,
    location: `${PATH}?changed=yes`,
    html: donePage(request),
    reauthenticated: true,
    deviceCookie: deps.devices.afterLogin(request.deviceCookie, user.id),
    audited: [...outcome.audited, event],
  };
}

const CURRENT = {
  member: 'current_password',
  name: 'session[password]',
  label: words.current,
  type: 'password',
  attributes: html`required autocomplete="current-password" maxlength="1000"`,
} as const;

const CODE = {
  member: 'code',
  name: 'session[code]',
  label: texts.login.code.label,
  hint: texts.login.code.hint,
  attributes: html`required autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="40"`,
} as const;

async function renderPage(
  deps: PasswordDeps,
  request: PageRequest,
  errors: FieldErrors,
  status: number,
): Promise<PageResponse> {
  const needsCode = await hasSecondFactor(deps, request.user!.id);
  const { title } = words;
  const isChanged = request.method === 'GET' && request.parameter('changed') === 'yes';
  const changed = isChanged ? words.changed : undefined;
  const page = settingsPage(
    title,
    request,
    PATH,
    html`<h1>${title}</h1>
${noticeBox(changed)}${errorSummary(words.wrong, errors)}
<p class="soft">${words.about}</p>
<form method="post" action="${PATH}">
${hiddenFields(request.formFields)}
<input type="text" name="username" value="${request.user!.screen_name}" autocomplete="username" hidden>
${formField(CURRENT, '', errors[CURRENT.member])}
${needsCode ? formField(CODE, '', errors[CODE.member]) : ''}
${newPasswordFields(deps.passwords, errors)}
<div class="buttons"><button class="main" type="submit">${words.button}</button></div>
</form>`,
  );
  return { status, html: page, hasForm: true };
}
