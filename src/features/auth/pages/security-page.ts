import { createRequire } from 'node:module';
import type generator from 'qrcode-generator';
import { type Html, html, joinHtml } from '../../../base/html.ts';
import { tryOpen } from '../../../base/secret-box.ts';
import type { Page, PageResponse, UserRequest } from '../../../contract/declare/pages.ts';
import type { AuditedEvent } from '../../../contract/store/audit.ts';
import type { SecondFactor } from '../../../contract/store/second-factors.ts';
import { alertBox, hiddenFields, noticeBox } from '../../../markup/boxes.ts';
import { dateElement } from '../../../markup/time-elements.ts';
import { texts } from '../../../texts/texts.ts';
import {
  enableSecondFactor,
  groupsOfFour,
  matchingTimeStep,
  newTotpSecret,
  renewRecoveryCodes,
  totpUri,
} from '../logins/second-factor.ts';
import { codeField } from './code-page.ts';
import { errorPage } from './error-pages.ts';
import { passwordField, redirect, settingsPage, userPage } from './layout.ts';
import type { PagesDeps } from './pages-deps.ts';
import { checkReauthentication } from './reauthentication.ts';

const words = texts.settings.security;

const PATH = '/settings/security';

/** `/settings/security`: turns one-time codes on and off, and creates recovery codes. */
export function securityPage(deps: PagesDeps): Page {
  return userPage(deps, PATH, show, change);
}

async function show(deps: PagesDeps, request: UserRequest): Promise<PageResponse> {
  const factor = await deps.store.read((tx) => tx.secondFactors.find(request.user.id));
  if (factor) return showOn(deps, request, factor, 200);
  const isSetup = request.parameter('setup') !== undefined;
  return isSetup ? showSetup(deps, request, newTotpSecret(deps.secrets)) : showOff(request);
}

async function change(deps: PagesDeps, request: UserRequest): Promise<PageResponse> {
  const factor = await deps.store.read((tx) => tx.secondFactors.find(request.user.id));
  const act = request.parameter('act');
  if (act === 'on' && !factor) return turnOn(deps, request);
  if (act === 'off' && factor) return turnOff(deps, request, factor);
  if (act !== 'renew') return errorPage('done before');
  const event = { event: 'recovery_codes_renewed', user_id: request.user.id } as const;
  const codes = await renewRecoveryCodes(deps, request.user.id, (tx) => request.record(tx, event));
  return codes ? recoveryPage(request, codes, event) : errorPage('done before');
}

/** The context that binds a sealed secret to its user before codes are turned on. */
const draftContext = ({ user }: UserRequest): string => `second_factor_draft:${user.id}`;

async function turnOn(deps: PagesDeps, request: UserRequest): Promise<PageResponse> {
  const secret = tryOpen(deps.box, request.parameter('draft') ?? '', draftContext(request));
  if (secret === undefined) return errorPage('form token');
  const code = (request.parameter('session[code]') ?? '').replace(/\s/g, '');
  const step = matchingTimeStep(secret, code, deps.wallClock.now());
  if (step === undefined) return showSetup(deps, request, secret, words.wrongCode);
  const event = { event: 'totp_enabled', user_id: request.user.id } as const;
  const codes = await enableSecondFactor(deps, request.user.id, { secret, step }, (tx) => request.record(tx, event));
  return recoveryPage(request, codes, event);
}

async function turnOff(deps: PagesDeps, request: UserRequest, factor: SecondFactor): Promise<PageResponse> {
  const refuse = (wrong: string): Promise<PageResponse> =>
    showOn(deps, request, factor, 401, wrong === 'code' ? texts.login.code.wrong : words.wrongPassword);
  return checkReauthentication(deps, request, refuse, async () => {
    const event = { event: 'totp_disabled', user_id: request.user.id } as const;
    await deps.store.write(async (tx) => {
      await tx.secondFactors.remove(request.user.id);
      await request.record(tx, event);
    });
    return redirect(request, `${PATH}?done=off`, [event]);
  });
}

function showOff(request: UserRequest): PageResponse {
  const content = html`${noticeBox(request.parameter('done') === 'off' ? words.isOff : undefined)}
<p>${words.about}</p>
<p>${words.isOff}</p>
<p><a class="main" href="${PATH}?setup=yes">${words.setUp}</a></p>`;
  return settingsPage(words.title, request, PATH, content);
}

function showSetup({ box }: PagesDeps, request: UserRequest, secret: string, problem?: string): PageResponse {
  const address = totpUri(secret, { service: request.serviceName, userName: request.user.screen_name });
  const isWrong = problem !== undefined;
  const content = html`${alertBox(problem)}
<ol class="steps">
<li><p>${words.scan}</p>
${qrCode(address, words.qrCode)}
<dl class="secrets"><dt>${words.key}</dt><dd><code>${groupsOfFour(secret)}</code></dd></dl></li>
<li><p>${words.enter}</p>
<form method="post" action="${PATH}">
${hiddenFields({ ...request.formFields, act: 'on', draft: box.seal(secret, draftContext(request)) })}
${codeField({ isWrong, hasFocus: isWrong, hint: words.digits })}
<div class="buttons"><button class="main" type="submit">${words.turnOn}</button>
<a class="button" href="${PATH}">${texts.login.cancel}</a></div>
</form></li>
</ol>`;
  return settingsPage(words.setUp, request, PATH, content, isWrong ? 400 : 200);
}

async function showOn(
  { store }: PagesDeps,
  request: UserRequest,
  factor: SecondFactor,
  status: number,
  problem?: string,
): Promise<PageResponse> {
  const { user, formFields } = request;
  const left = await store.read((tx) => tx.secondFactors.findRecoveryCount(user.id));
  const isWrong = problem !== undefined;
  const content = html`<p>${words.isOn(dateElement(factor.created_at), left)}</p>
<section><h2>${words.renew}</h2>
<p>${words.renewAbout}</p>
<form method="post" action="${PATH}">
${hiddenFields({ ...formFields, act: 'renew' })}
<div class="buttons"><button type="submit">${words.renewButton}</button></div>
</form></section>
<section><h2>${words.off}</h2>
${alertBox(problem)}
<form method="post" action="${PATH}">
${hiddenFields({ ...formFields, act: 'off' })}
<input type="text" name="username" value="${user.screen_name}" autocomplete="username" hidden>
${passwordField({ isWrong, hasFocus: isWrong })}
${codeField({ isWrong, hasFocus: false })}
<div class="buttons"><button type="submit" class="bad">${words.offButton}</button></div>
</form></section>`;
  return settingsPage(words.title, request, PATH, content, status);
}

/** Shows new recovery codes, which cannot be shown again. */
function recoveryPage(request: UserRequest, codes: readonly string[], event: AuditedEvent): PageResponse {
  const items = codes.map((code) => html`<li><code>${code}</code></li>`);
  const content = html`<p class="doubt">${words.codesOnce}</p>
<p>${words.codesAbout}</p>
<ul class="recovery">${joinHtml(items, '\n')}</ul>
<p><a class="main" href="${PATH}">${words.codesSaved}</a></p>`;
  return { ...settingsPage(words.codes, request, PATH, content), audited: [event] };
}

/** The width of the quiet zone that scanners need, in modules. */
const MARGIN = 4;

/** A text as a QR code: an SVG image of dark modules on white, in any colour scheme. */
function qrCode(text: string, label: string): Html {
  // Loaded with the first image.
  const qrcode = createRequire(import.meta.url)('qrcode-generator') as typeof generator;
  const code = qrcode(0, 'M');
  code.addData(text);
  code.make();
  const count = code.getModuleCount();
  const squares: string[] = [];
  for (let row = 0; row < count; row += 1) {
    for (let column = 0; column < count; column += 1) {
      if (code.isDark(row, column)) squares.push(`M${column + MARGIN} ${row + MARGIN}h1v1h-1z`);
    }
  }
  const size = count + 2 * MARGIN;
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges">
<path fill="#fff" d="M0 0h${size}v${size}H0z"/><path fill="#000" d="${squares.join('')}"/></svg>`;
}
