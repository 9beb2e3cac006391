import { html } from '../../../base/html.ts';
import { formatInstant } from '../../../base/instants.ts';
import type { Page, PageRequest, PageResponse } from '../../../contract/declare/pages.ts';
import type { User } from '../../../contract/store/credentials.ts';
import { hiddenFields } from '../../../markup/boxes.ts';
import { errorSummary, type FieldErrors } from '../../../markup/form-fields.ts';
import type { ReadTransaction } from '../../../storage/unit-of-work.ts';
import { texts } from '../../../texts/texts.ts';
import { linkHash, setPassword } from '../../platform/user-status.ts';
import { blockedReason, errorPage } from './error-pages.ts';
import { cardPage } from './layout.ts';
import { newPasswordFields, readNewPassword } from './new-password-fields.ts';
import type { PagesDeps } from './pages-deps.ts';

const words = texts.login.reset;

const PATH = '/login/reset';

/** `/login/reset`: sets the password by a link from an operator, which works once. @source decision 501 */
export function passwordLinkPage(deps: PagesDeps): Page {
  return {
    path: PATH,
    methods: ['GET', 'POST'],
    isRateLimited: true,
    async answer(request) {
      const user = await deps.store.read((tx) => userOf(tx, deps, request));
      if (!user) return errorPage('password link');
      const blocked = blockedReason(user);
      if (blocked) return errorPage(blocked);
      return request.method === 'POST' ? reset(deps, request, user) : render(deps, request, user, {});
    },
  };
}

async function userOf(
  tx: ReadTransaction,
  { wallClock }: PagesDeps,
  { parameter }: PageRequest,
): Promise<User | undefined> {
  const secret = parameter('token') ?? '';
  const link = /^[\w-]{43}$/.test(secret) ? await tx.passwordLinks.find(linkHash(secret)) : undefined;
  const isGood = link !== undefined && link.expires_at > formatInstant(wallClock.now());
  return isGood ? tx.credentials.findUser(link.user_id) : undefined;
}

async function reset(deps: PagesDeps, request: PageRequest, user: User): Promise<PageResponse> {
  const { password, errors } = readNewPassword(request, user, deps.passwords);
  if (Object.keys(errors).length > 0) return render(deps, request, user, errors);
  const hash = await deps.hashPassword(password);
  const now = formatInstant(deps.wallClock.now());
  const event = { event: 'password_reset', user_id: user.id } as const;
  const isDone = await deps.store.write(async (tx) => {
    // Of two simultaneous uses of the link, only the first succeeds.
    await tx.credentials.lockUser(user.id);
    if (!(await userOf(tx, deps, request))) return false;
    await setPassword(tx, user.id, { hash, now });
    await request.record(tx, event);
    return true;
  });
  if (!isDone) return errorPage('password link');
  return {
    status: 303,
    location: '/login?password=reset',
    html: cardPage(words.done, html`<p><a href="/login">${texts.login.title}</a></p>`),
    logout: true,
    deviceCookie: deps.devices.afterLogin(request.deviceCookie, user.id),
    audited: [event],
  };
}

function render(
  { passwords }: PagesDeps,
  request: PageRequest,
  { screen_name }: User,
  errors: FieldErrors,
): PageResponse {
  const content = html`${errorSummary(words.wrong, errors)}
<p class="who">${words.who(screen_name)}</p>
<p class="soft">${words.about}</p>
<form method="post" action="${PATH}">
${hiddenFields({ ...request.formFields, token: request.parameter('token') ?? '' })}
<input type="text" name="username" value="${screen_name}" autocomplete="username" hidden>
${newPasswordFields(passwords, errors)}
<div class="buttons"><button class="main" type="submit">${words.button}</button></div>
</form>`;
  const status = request.method === 'POST' ? 400 : 200;
  return { status, html: cardPage(words.title, content), hasForm: true };
}
