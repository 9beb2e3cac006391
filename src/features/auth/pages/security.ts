import { html } from 'ghtml';
import type { Page, PageAnswer, Visit } from '../../../contract/declare/pages.ts';
import type { AuditedEvent } from '../../../contract/store/audit.ts';
import type { SecondFactor } from '../../../contract/store/second-factors.ts';
import { type LoginParts, logInAgain } from '../logins/log-in.ts';
import { codeAddress, inGroups, newCodeSecret, stepOfCode } from '../logins/one-time-codes.ts';
import { renewRecovery, turnOnCodes } from '../logins/second-factor.ts';
import { codeField, WRONG_CODE } from './code-page.ts';
import { dayElement } from './days.ts';
import { accountDocument, alertOf, hidden, noticeOf, passwordField, settingsDocument } from './layout.ts';
import { qrCode } from './qr-code.ts';
import { refusal } from './refusals.ts';
import { loginFirst } from './session-pages.ts';

const PATH = '/settings/security';

/** `/settings/security`: a user turns one-time codes on and off, and gets recovery codes. */
export function securityPage(parts: LoginParts): Page {
  return {
    path: PATH,
    methods: ['GET', 'POST'],
    async answer(visit) {
      if (!visit.user) return loginFirst(PATH);
      if (visit.method === 'POST') return act(parts, visit);
      const factor = await parts.store.read((tx) => tx.secondFactors.find(visit.user!.id));
      if (factor) return on(parts, visit, factor, 200);
      return visit.parameter('setup') === undefined ? off(visit) : setup(parts, visit, newCodeSecret(parts.secrets));
    },
  };
}

async function act(parts: LoginParts, visit: Visit): Promise<PageAnswer> {
  const factor = await parts.store.read((tx) => tx.secondFactors.find(visit.user!.id));
  const asked = visit.parameter('act');
  if (asked === 'on' && !factor) return turnOn(parts, visit);
  if (asked === 'off' && factor) return turnOff(parts, visit, factor);
  if (asked !== 'renew') return refusal('done before');
  const event = { event: 'recovery_codes_renewed', user_id: visit.user!.id } as const;
  const codes = await renewRecovery(parts, visit.user!.id, (tx) => visit.record(tx, event));
  return codes ? recoveryPage(visit, codes, event) : refusal('done before');
}

/** What a sealed secret that is not turned on yet is bound to. */
const draftOf = (visit: Visit): string => `second_factor_draft:${visit.user!.id}`;

async function turnOn(parts: LoginParts, visit: Visit): Promise<PageAnswer> {
  const secret = openDraft(parts, visit);
  if (secret === undefined) return refusal('form token');
  const code = (visit.parameter('session[code]') ?? '').replace(/\s/g, '');
  const step = stepOfCode(secret, code, parts.clock.now());
  if (step === undefined) return setup(parts, visit, secret, 'This is not the code that belongs to this picture.');
  const event = { event: 'totp_enabled', user_id: visit.user!.id } as const;
  const codes = await turnOnCodes(parts, visit.user!.id, { secret, step }, (tx) => visit.record(tx, event));
  return recoveryPage(visit, codes, event);
}

function openDraft({ box }: LoginParts, visit: Visit): string | undefined {
  try {
    return box.open(visit.parameter('draft') ?? '', draftOf(visit));
  } catch {
    return undefined;
  }
}

async function turnOff(parts: LoginParts, visit: Visit, factor: SecondFactor): Promise<PageAnswer> {
  const user = visit.user!.id;
  const outcome = await logInAgain(parts, visit);
  const { noted } = outcome;
  if ('wait_s' in outcome) return { ...refusal('too many logins', outcome.wait_s), noted };
  if ('wrong' in outcome) {
    const says = outcome.wrong === 'code' ? WRONG_CODE : 'This is not your password.';
    const failed = [{ event: 'reauthentication_failed', user_id: user }] as const;
    return { ...(await on(parts, visit, factor, 401, says)), noted: failed };
  }
  const event = { event: 'totp_disabled', user_id: user } as const;
  await parts.store.write(async (tx) => {
    await tx.secondFactors.remove(user);
    await visit.record(tx, event);
  });
  return {
    status: 303,
    location: `${PATH}?done=off`,
    html: accountDocument('Turned off', visit, '<h1>Turned off</h1>'),
    reauthenticated: true,
    noted: [...noted, event],
  };
}

const TITLE = 'Two-step login';
const ABOUT =
  'Besides the password, a login then asks for a code that an app on your phone shows: a password that somebody learned is no use alone.';

function off(visit: Visit): PageAnswer {
  const done = visit.parameter('done') === 'off' ? 'Two-step login is off.' : undefined;
  const content = html`<h1>${TITLE}</h1>
!${noticeOf(done)}
<p>${ABOUT}</p>
<p>It is off.</p>
<p><a class="main" href="${PATH}?setup=yes">Set up two-step login</a></p>`;
  return { status: 200, html: settingsDocument(TITLE, visit, PATH, content), hasForm: true };
}

function setup({ box }: LoginParts, visit: Visit, secret: string, problem?: string): PageAnswer {
  const title = 'Set up two-step login';
  const address = codeAddress(secret, { service: visit.service, userName: visit.user!.screen_name });
  const content = html`<h1>${title}</h1>
!${alertOf(problem)}
<ol class="steps">
<li><p>Scan this with an authenticator app, or type the key into it.</p>
!${qrCode(address, 'QR code of the key')}
<dl class="secrets"><dt>Key</dt><dd><code>${inGroups(secret)}</code></dd></dl></li>
<li><p>Type the code that the app shows.</p>
<form method="post" action="${PATH}">
!${hidden({ authenticity_token: visit.formToken, act: 'on', draft: box.seal(secret, draftOf(visit)) })}
!${codeField({ isWrong: problem !== undefined, hasCaret: problem !== undefined, hint: 'Six digits.' })}
<div class="buttons"><button class="main" type="submit">Turn on</button>
<a class="button" href="${PATH}">Cancel</a></div>
</form></li>
</ol>`;
  const status = problem === undefined ? 200 : 400;
  return { status, html: settingsDocument(title, visit, PATH, content), hasForm: true };
}

async function on(
  { store }: LoginParts,
  visit: Visit,
  factor: SecondFactor,
  status: number,
  problem?: string,
): Promise<PageAnswer> {
  const left = await store.read((tx) => tx.secondFactors.findRecoveryCount(visit.user!.id));
  const content = html`<h1>${TITLE}</h1>
<p>It has been on since !${dayElement(factor.created_at)}. ${left === 1 ? 'One recovery code is' : `${left} recovery codes are`} left.</p>
<section><h2>New recovery codes</h2>
<p>They take the place of those that you have.</p>
<form method="post" action="${PATH}">
!${hidden({ authenticity_token: visit.formToken, act: 'renew' })}
<div class="buttons"><button type="submit">Make new recovery codes</button></div>
</form></section>
<section><h2>Turn it off</h2>
!${alertOf(problem)}
<form method="post" action="${PATH}">
!${hidden({ authenticity_token: visit.formToken, act: 'off' })}
<input type="text" name="username" value="${visit.user!.screen_name}" autocomplete="username" hidden>
!${passwordField({ isWrong: problem !== undefined, hasCaret: problem !== undefined })}
!${codeField({ isWrong: problem !== undefined, hasCaret: false })}
<div class="buttons"><button type="submit" class="bad">Turn off two-step login</button></div>
</form></section>`;
  return { status, html: settingsDocument(TITLE, visit, PATH, content), hasForm: true };
}

/** The page that shows recovery codes, the only time that they are shown. */
function recoveryPage(visit: Visit, codes: readonly string[], event: AuditedEvent): PageAnswer {
  const title = 'Your recovery codes';
  const content = html`<h1>${title}</h1>
<p class="alert">Keep these somewhere safe now: they are not shown again.</p>
<p>Each works once, in place of a code of the app: when the phone is lost, they are the only way in.</p>
<ul class="recovery">!${codes.map((code) => html`<li><code>${code}</code></li>`).join('\n')}</ul>
<p><a class="main" href="${PATH}">I have kept them</a></p>`;
  return { status: 200, html: settingsDocument(title, visit, PATH, content), hasForm: true, noted: [event] };
}
