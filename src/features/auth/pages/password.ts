import { html } from 'ghtml';
import type { Clock } from '../../../base/clock.ts';
import { formatInstant } from '../../../base/instants.ts';
import type { Page, PageAnswer, Visit } from '../../../contract/declare/pages.ts';
import type { PasswordRules } from '../../platform/password-rules.ts';
import { setPassword } from '../../platform/standing.ts';
import { type LoginParts, logInAgain } from '../logins/log-in.ts';
import { hasFactor } from '../logins/second-factor.ts';
import { type FieldFaults, faultSummary, fieldOf } from './fields.ts';
import { accountDocument, hidden, noticeOf, settingsDocument } from './layout.ts';
import { newPasswordFields, newPasswordOf } from './new-password.ts';
import { refusal } from './refusals.ts';
import { loginFirst } from './session-pages.ts';

const PATH = '/settings/password';

/** What pages that set passwords work with. */
export interface PasswordParts extends LoginParts {
  readonly clock: Clock;
  readonly passwords: PasswordRules;
  /** The stored form of a password; slow, so never called inside a unit of work. */
  hashPassword(password: string): Promise<string>;
}

/** `/settings/password`: a user changes the password, which ends every other session of theirs. */
export function passwordPage(parts: PasswordParts): Page {
  return {
    path: PATH,
    methods: ['GET', 'POST'],
    async answer(visit) {
      if (!visit.user) return loginFirst(PATH);
      return visit.method === 'POST' ? change(parts, visit) : shown(parts, visit, {}, 200);
    },
  };
}

async function change(parts: PasswordParts, visit: Visit): Promise<PageAnswer> {
  const user = visit.user!;
  const { password, errors } = newPasswordOf(visit, user, parts.passwords);
  if (Object.keys(errors).length > 0) return shown(parts, visit, errors, 400);
  const outcome = await logInAgain(parts, visit);
  if ('wait_s' in outcome) return { ...refusal('too many logins', outcome.wait_s), noted: outcome.noted };
  if ('wrong' in outcome) {
    const wrong: FieldFaults =
      outcome.wrong === 'code'
        ? { code: 'this code is not right, or was used before' }
        : { current_password: 'this is not your current password' };
    const answer = await shown(parts, visit, wrong, 401);
    return { ...answer, noted: [{ event: 'reauthentication_failed', user_id: user.id }] };
  }
  const hash = await parts.hashPassword(password);
  const now = formatInstant(parts.clock.now());
  const keeps = visit.session?.id_hash;
  const event = { event: 'password_changed', user_id: user.id } as const;
  await parts.store.write(async (tx) => {
    await setPassword(tx, user.id, { hash, now, keeps });
    await visit.record(tx, event);
  });
  return {
    status: 303,
    location: `${PATH}?changed=yes`,
    html: accountDocument('Changed', visit, '<h1>Changed</h1>'),
    reauthenticated: true,
    knownBrowser: parts.browsers.withUser(visit.knownBrowser, user.id),
    noted: [...outcome.noted, event],
  };
}

const CURRENT = {
  member: 'current_password',
  name: 'session[password]',
  label: 'Current password',
  type: 'password',
  attributes: 'required autocomplete="current-password" maxlength="1000"',
} as const;

const CODE = {
  member: 'code',
  name: 'session[code]',
  label: 'Code',
  hint: 'The six digits that your authenticator app shows, or one of your recovery codes.',
  attributes: 'required autocomplete="one-time-code" autocapitalize="none" spellcheck="false" maxlength="40"',
} as const;

async function shown(parts: PasswordParts, visit: Visit, errors: FieldFaults, status: number): Promise<PageAnswer> {
  const needsCode = await hasFactor(parts, visit.user!.id);
  const title = 'Password';
  const isChanged = visit.method === 'GET' && visit.parameter('changed') === 'yes';
  const changed = isChanged ? 'Your password was changed. You are logged out everywhere else.' : undefined;
  const page = settingsDocument(
    title,
    visit,
    PATH,
    html`<h1>${title}</h1>
!${noticeOf(changed)}!${faultSummary('Your password was not changed:', errors)}
<p class="soft">A new password logs you out of every other browser. Applications keep the access that you gave them.</p>
<form method="post" action="${PATH}">
!${hidden({ authenticity_token: visit.formToken })}
<input type="text" name="username" value="${visit.user!.screen_name}" autocomplete="username" hidden>
!${fieldOf(CURRENT, '', errors[CURRENT.member])}
!${needsCode ? fieldOf(CODE, '', errors[CODE.member]) : ''}
!${newPasswordFields(parts.passwords, errors)}
<div class="buttons"><button class="main" type="submit">Change password</button></div>
</form>`,
  );
  return { status, html: page, hasForm: true };
}
