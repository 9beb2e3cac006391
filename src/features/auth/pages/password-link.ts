import { html } from 'ghtml';
import { formatInstant } from '../../../base/instants.ts';
import type { Page, PageAnswer, Visit } from '../../../contract/declare/pages.ts';
import type { User } from '../../../contract/store/credentials.ts';
import type { ReadTransaction } from '../../../contract/store/store.ts';
import { linkHash, setPassword } from '../../platform/standing.ts';
import { type FieldFaults, faultSummary } from './fields.ts';
import { documentOf, hidden } from './layout.ts';
import { newPasswordFields, newPasswordOf } from './new-password.ts';
import type { PasswordParts } from './password.ts';
import { barOf, refusal } from './refusals.ts';

const PATH = '/login/reset';

/** `/login/reset`: whoever has a link that an operator made sets the password, once. */
export function passwordLinkPage(parts: PasswordParts): Page {
  return {
    path: PATH,
    methods: ['GET', 'POST'],
    isLimited: true,
    async answer(visit) {
      const user = await parts.store.read((tx) => userOf(tx, parts, visit));
      if (!user) return refusal('password link');
      const bar = barOf(user);
      if (bar) return refusal(bar);
      return visit.method === 'POST' ? reset(parts, visit, user) : shown(parts, visit, user, {}, 200);
    },
  };
}

async function userOf(tx: ReadTransaction, { clock }: PasswordParts, { parameter }: Visit): Promise<User | undefined> {
  const secret = parameter('token') ?? '';
  const link = /^[\w-]{43}$/.test(secret) ? await tx.passwordLinks.find(linkHash(secret)) : undefined;
  const isGood = link !== undefined && link.expires_at > formatInstant(clock.now());
  return isGood ? tx.credentials.findUser(link.user_id) : undefined;
}

async function reset(parts: PasswordParts, visit: Visit, user: User): Promise<PageAnswer> {
  const { password, errors } = newPasswordOf(visit, user, parts.passwords);
  if (Object.keys(errors).length > 0) return shown(parts, visit, user, errors, 400);
  const hash = await parts.hashPassword(password);
  const now = formatInstant(parts.clock.now());
  const event = { event: 'password_reset', user_id: user.id } as const;
  const isDone = await parts.store.write(async (tx) => {
    // The first of two who use the link at the same time has it.
    await tx.credentials.lockUser(user.id);
    if (!(await userOf(tx, parts, visit))) return false;
    await setPassword(tx, user.id, { hash, now });
    await visit.record(tx, event);
    return true;
  });
  if (!isDone) return refusal('password link');
  return {
    status: 303,
    location: '/login?password=reset',
    html: documentOf('Password set', '<h1>Your password is set</h1>\n<p><a href="/login">Log in</a></p>'),
    logout: true,
    knownBrowser: parts.browsers.withUser(visit.knownBrowser, user.id),
    noted: [event],
  };
}

function shown(
  { passwords }: PasswordParts,
  visit: Visit,
  { screen_name }: User,
  errors: FieldFaults,
  status: number,
): PageAnswer {
  const title = 'Set a new password';
  const page = documentOf(
    title,
    html`<h1>${title}</h1>
!${faultSummary('Your password was not set:', errors)}
<p class="who">For <strong>@${screen_name}</strong></p>
<p class="soft">It logs you out everywhere. This link works once.</p>
<form method="post" action="${PATH}">
!${hidden({ authenticity_token: visit.formToken, token: visit.parameter('token') ?? '' })}
<input type="text" name="username" value="${screen_name}" autocomplete="username" hidden>
!${newPasswordFields(passwords, errors)}
<div class="buttons"><button class="main" type="submit">Set password</button></div>
</form>`,
  );
  return { status, html: page, hasForm: true };
}
