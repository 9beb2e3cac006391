import { html, joinHtml } from '../../../base/html.ts';
import type { Page, PageRequest, PageResponse } from '../../../contract/declare/pages.ts';
import type { AuditedEvent } from '../../../contract/store/audit.ts';
import type { SecondFactor } from '../../../contract/store/second-factors.ts';
import { alertBox, hiddenFields, noticeBox } from '../../../markup/boxes.ts';
import { dateElement } from '../../../markup/time-elements.ts';
import { texts } from '../../../texts/texts.ts';
import { type LoginDeps, reauthenticate } from '../logins/log-in.ts';
import { enableSecondFactor, renewRecoveryCodes } from '../logins/second-factor.ts';
import { groupsOfFour, matchingTimeStep, newTotpSecret, totpUri } from '../logins/totp.ts';
import { codeField } from './code-page.ts';
import { errorPage } from './error-pages.ts';
import { donePage, passwordField, settingsPage } from './layout.ts';
import { redirectToLogin } from './login-pages.ts';
import { qrCode } from './qr-code.ts';

const words = texts.settings.security;

const PATH = '/settings/security';

/** `/settings/security`: turns one-time codes on and off, and creates recovery codes. */
export function securityPage(deps: LoginDeps): Page {
  return {
    path: PATH,
    methods: ['GET', 'POST'],
    mayFollowLogin: true,
    async answer(request) {
      if (!request.user) return redirectToLogin(PATH);
      if (request.method === 'POST') return act(deps, request);
      const factor = await deps.store.read((tx) => tx.secondFactors.find(request.user!.id));
      if (factor) return on(deps, request, factor, 200);
      return request.parameter('setup') === undefined
        ? off(request)
        : setup(deps, request, newTotpSecret(deps.secrets));
    },
  };
}

async function act(deps: LoginDeps, request: PageRequest): Promise<PageResponse> {
  const factor = await deps.store.read((tx) => tx.secondFactors.find(request.user!.id));
  const asked = request.parameter('act');
  if (asked === 'on' && !factor) return turnOn(deps, request);
  if (asked === 'off' && factor) return turnOff(deps, request, factor);
  if (asked !== 'renew') return errorPage('done before');
  const event = { event: 'recovery_codes_renewed', user_id: request.user!.id } as const;
  const codes = await renewRecoveryCodes(deps, request.user!.id, (tx) => request.record(tx, event));
  return codes ? recoveryPage(request, codes, event) : errorPage('done before');
}

/** The context that binds a sealed secret to its user before codes are turned on. */
const draftOf = (request: PageRequest): string => `second_factor_draft:${request.user!.id}`;

async function turnOn(deps: LoginDeps, request: PageRequest): Promise<PageResponse> {
  const secret = openDraft(deps, request);
  if (secret === undefined) return errorPage('form token');
  const code = (request.parameter('session[code]') ?? '').replace(/\s/g, '');
  const step = matchingTimeStep(secret, code, deps.wallClock.now());
  if (step === undefined) return setup(deps, request, secret, words.wrongCode);
  const event = { event: 'totp_enabled', user_id: request.user!.id } as const;
  const codes = await enableSecondFactor(deps, request.user!.id, { secret, step }, (tx) => request.record(tx, event));
  return recoveryPage(request, codes, event);
}

function openDraft({ box }: LoginDeps, request: PageRequest): string | undefined {
  try {
    return box.open(request.parameter('draft') ?? '', draftOf(request));
  } catch {
    return undefined;
  }
}

async function turnOff(deps: LoginDeps, request: PageRequest, factor: SecondFactor): Promise<PageResponse> {
  const user = request.user!.id;
  const outcome = await reauthenticate(deps, request);
  const { audited } = outcome;
  if ('wait_s' in outcome) return { ...errorPage('too many logins', outcome.wait_s), audited };
  if ('wrong' in outcome) {
    const message = outcome.wrong === 'code' ? texts.login.code.wrong : words.wrongPassword;
    const failed = [{ event: 'reauthentication_failed', user_id: user }] as const;
    return { ...(await on(deps, request, factor, 401, message)), audited: failed };
  }
  const event = { event: 'totp_disabled', user_id: user } as const;
  await deps.store.write(async (tx) => {
    await tx.secondFactors.remove(user);
    await request.record(tx, event);
  });
  return {
    status: 303,
    location: `${PATH}?done=off`,
    html: donePage(request),
    reauthenticated: true,
    audited: [...audited, event],
  };
}

const TITLE = words.title;

function off(request: PageRequest): PageResponse {
  const done = request.parameter('done') === 'off' ? words.isOff : undefined;
  const content = html`<h1>${TITLE}</h1>
${noticeBox(done)}
<p>${words.about}</p>
<p>${words.isOff}</p>
<p><a class="main" href="${PATH}?setup=yes">${words.setUp}</a></p>`;
  return { status: 200, html: settingsPage(TITLE, request, PATH, content), hasForm: true };
}

function setup({ box }: LoginDeps, request: PageRequest, secret: string, problem?: string): PageResponse {
  const title = words.setUp;
  const address = totpUri(secret, { service: request.serviceName, userName: request.user!.screen_name });
  const content = html`<h1>${title}</h1>
${alertBox(problem)}
<ol class="steps">
<li><p>${words.scan}</p>
${qrCode(address, words.qrCode)}
<dl class="secrets"><dt>${words.key}</dt><dd><code>${groupsOfFour(secret)}</code></dd></dl></li>
<li><p>${words.enter}</p>
<form method="post" action="${PATH}">
${hiddenFields({ ...request.formFields, act: 'on', draft: box.seal(secret, draftOf(request)) })}
${codeField({ isWrong: problem !== undefined, hasCaret: problem !== undefined, hint: words.digits })}
<div class="buttons"><button class="main" type="submit">${words.turnOn}</button>
<a class="button" href="${PATH}">${texts.login.cancel}</a></div>
</form></li>
</ol>`;
  const status = problem === undefined ? 200 : 400;
  return { status, html: settingsPage(title, request, PATH, content), hasForm: true };
}

async function on(
  { store }: LoginDeps,
  request: PageRequest,
  factor: SecondFactor,
  status: number,
  problem?: string,
): Promise<PageResponse> {
  const left = await store.read((tx) => tx.secondFactors.findRecoveryCount(request.user!.id));
  const content = html`<h1>${TITLE}</h1>
<p>${words.isOn(dateElement(factor.created_at), left)}</p>
<section><h2>${words.renew}</h2>
<p>${words.renewAbout}</p>
<form method="post" action="${PATH}">
${hiddenFields({ ...request.formFields, act: 'renew' })}
<div class="buttons"><button type="submit">${words.renewButton}</button></div>
</form></section>
<section><h2>${words.off}</h2>
${alertBox(problem)}
<form method="post" action="${PATH}">
${hiddenFields({ ...request.formFields, act: 'off' })}
<input type="text" name="username" value="${request.user!.screen_name}" autocomplete="username" hidden>
${passwordField({ isWrong: problem !== undefined, hasCaret: problem !== undefined })}
${codeField({ isWrong: problem !== undefined, hasCaret: false })}
<div class="buttons"><button type="submit" class="bad">${words.offButton}</button></div>
</form></section>`;
  return { status, html: settingsPage(TITLE, request, PATH, content), hasForm: true };
}

/** The page that shows recovery codes, once. */
function recoveryPage(request: PageRequest, codes: readonly string[], event: AuditedEvent): PageResponse {
  const title = words.codes;
  const content = html`<h1>${title}</h1>
<p class="doubt">${words.codesOnce}</p>
<p>${words.codesAbout}</p>
<ul class="recovery">${joinHtml(
    codes.map((code) => html`<li><code>${code}</code></li>`),
    '\n',
  )}</ul>
<p><a class="main" href="${PATH}">${words.codesSaved}</a></p>`;
  return { status: 200, html: settingsPage(title, request, PATH, content), hasForm: true, audited: [event] };
}
