import { html } from 'ghtml';
import type { Clock } from '../../../base/clock.ts';
import { instantMs } from '../../../base/instants.ts';
import type { Page, PageAnswer, Visit } from '../../../contract/declare/pages.ts';
import { type LoginParts, logInAgain } from '../logins/log-in.ts';
import { hasFactor } from '../logins/second-factor.ts';
import { codeField, WRONG_CODE } from './code-page.ts';
import { accountDocument, alertOf, passwordField } from './layout.ts';
import { refusal } from './refusals.ts';

/** What pages work with that ask again who somebody is. */
export interface ConfirmParts extends LoginParts {
  readonly clock: Clock;
  /** For how long a login is recent. */
  readonly reauthentication_s: number;
}

/** Member of the form that says what was asked for before the password was. */
const CONFIRM = 'confirm';
/** What the form of the password brings along itself. */
const OWN_MEMBERS = /^(authenticity_token|confirm|session\[.*\])$/;

/**
 * A page that answers only those whose login is recent, wherever `needs` says so. Others are asked for the password first, on
 * the same address; a form that they sent is carried along and goes on as it was.
 */
export function confirmed(parts: ConfirmParts, page: Page, needs: (visit: Visit) => boolean = () => true): Page {
  return {
    ...page,
    async answer(visit) {
      if (!visit.user || !needs(visit)) return page.answer(visit);
      const asked = visit.method === 'POST' ? visit.parameter(CONFIRM) : undefined;
      if (asked === undefined) return isRecent(parts, visit) ? page.answer(visit) : ask(parts, page, visit);
      const outcome = await logInAgain(parts, visit);
      const { noted: checked } = outcome;
      if ('wait_s' in outcome) return { ...refusal('too many logins', outcome.wait_s), noted: checked };
      const { id } = visit.user;
      if ('wrong' in outcome) {
        const answer = await ask(parts, page, visit, outcome.wrong === 'code' ? WRONG_CODE : WRONG);
        return { ...answer, noted: [{ event: 'reauthentication_failed', user_id: id }] };
      }
      const after = asked === 'GET' ? backTo(page, visit) : await page.answer(visit);
      const noted = [...checked, { event: 'reauthenticated', user_id: id } as const, ...(after.noted ?? [])];
      return { ...after, reauthenticated: true, knownBrowser: outcome.knownBrowser, noted };
    },
  };
}

const WRONG = 'This is not your password. Try again.';

function isRecent({ clock, reauthentication_s }: ConfirmParts, { session }: Visit): boolean {
  const since = session && instantMs(session.authenticated_at ?? session.created_at);
  // What lies ahead was written before the clock was set back: how long ago, nobody knows.
  return since !== undefined && Math.abs(clock.now() - since) < reauthentication_s * 1000;
}

function addressOf(page: Page, { path, query }: Visit): string {
  const own = page.path.replace(/:(\w+)/g, (_, name) => encodeURIComponent(path[name] ?? ''));
  return query === '' ? own : `${own}?${query}`;
}

function backTo(page: Page, visit: Visit): PageAnswer {
  const location = addressOf(page, visit);
  return { status: 303, location, html: accountDocument('Confirmed', visit, '<h1>Confirmed</h1>') };
}

async function ask(parts: ConfirmParts, page: Page, visit: Visit, problem?: string): Promise<PageAnswer> {
  const title = 'Confirm that it is you';
  const before = visit.parameter(CONFIRM);
  const asked = visit.method === 'GET' || before === 'GET' ? 'GET' : 'POST';
  const carried = asked === 'GET' ? [] : visit.members.filter(([name]) => !OWN_MEMBERS.test(name));
  const needsCode = await hasFactor(parts, visit.user!.id);
  const members = [['authenticity_token', visit.formToken], [CONFIRM, asked], ...carried] as const;
  const content = html`<h1>${title}</h1>
!${alertOf(problem)}
<p class="soft">This part of your account is protected, and you logged in some time ago.
${asked === 'POST' ? 'What you filled in is kept, and takes effect once you have confirmed.' : ''}</p>
<form method="post" action="${addressOf(page, visit)}">
!${members.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`).join('\n')}
<input type="text" name="username" value="${visit.user!.screen_name}" autocomplete="username" hidden>
!${passwordField({ isWrong: problem !== undefined, hasCaret: true })}
!${needsCode ? codeField({ isWrong: problem !== undefined, hasCaret: false }) : ''}
<div class="buttons"><button class="main" type="submit">Confirm</button></div>
</form>`;
  const status = visit.method === 'GET' ? 200 : 401;
  return { status, html: accountDocument(title, visit, content), hasForm: true };
}
