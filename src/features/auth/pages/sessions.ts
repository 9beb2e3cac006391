import { html } from 'ghtml';
import type { Clock } from '../../../base/clock.ts';
import type { Page, PageAnswer, Visit } from '../../../contract/declare/pages.ts';
import { isLiveSession, type Session } from '../../../contract/store/logins.ts';
import type { Store } from '../../../contract/store/store.ts';
import { secondElement } from './days.ts';
import { accountDocument, hidden, noticeOf, settingsDocument } from './layout.ts';
import { refusal } from './refusals.ts';
import { loginFirst } from './session-pages.ts';

const PATH = '/settings/sessions';

/** What the page works with. */
export interface SessionsParts {
  readonly store: Store;
  readonly clock: Clock;
}

/** `/settings/sessions`: where a user is logged in, and the way to end it. */
export function sessionsPage(parts: SessionsParts): Page {
  return {
    path: PATH,
    methods: ['GET', 'POST'],
    async answer(visit) {
      if (!visit.user) return loginFirst(PATH);
      return visit.method === 'POST' ? end(parts, visit) : shown(parts, visit);
    },
  };
}

async function shown({ store, clock }: SessionsParts, visit: Visit): Promise<PageAnswer> {
  const all = await store.read((tx) => tx.sessions.list(visit.user!.id));
  const live = all.filter((session) => isLiveSession(session, clock.now()));
  const isOwn = ({ id_hash }: Session): boolean => id_hash === visit.session?.id_hash;
  const sorted = [...live.filter(isOwn), ...live.filter((session) => !isOwn(session))];
  const ended = visit.parameter('ended') === 'yes' ? 'That browser has been logged out.' : undefined;
  const title = 'Where you are logged in';
  const page = settingsDocument(
    title,
    visit,
    PATH,
    html`<h1>${title}</h1>
!${noticeOf(ended)}
<p class="soft">If you do not know one of these, end it and <a href="/settings/password">change your password</a>.</p>
<ul class="entries">!${sorted.map((session) => entry(session, isOwn(session), visit.formToken)).join('\n')}</ul>
!${live.length > 1 ? endOthers(visit.formToken) : ''}`,
  );
  return { status: 200, html: page, hasForm: true };
}

function entry(session: Session, isOwn: boolean, formToken: string): string {
  const browser = session.browser || 'Unknown browser';
  return html`<li>
<h2>${browser}!${isOwn ? ' <span class="mark">This one</span>' : ''}</h2>
<dl class="facts">
<dt>Logged in</dt><dd>!${secondElement(session.created_at)}</dd>
<dt>Last seen</dt><dd>!${secondElement(session.last_seen_at)}</dd>
<dt>Address</dt><dd>${session.address || 'Unknown'}</dd>
</dl>
!${isOwn ? '' : endOne(session, browser, formToken)}
</li>`;
}

function endOne({ id_hash }: Session, browser: string, formToken: string): string {
  return html`<form method="post" action="${PATH}">
!${hidden({ authenticity_token: formToken, session: id_hash })}
<button type="submit" class="bad" aria-label="Log out there: ${browser}">Log out there</button>
</form>`;
}

function endOthers(formToken: string): string {
  return html`<form method="post" action="${PATH}">
!${hidden({ authenticity_token: formToken, session: 'others' })}
<div class="buttons"><button type="submit" class="bad">Log out everywhere else</button></div>
</form>`;
}

async function end({ store }: SessionsParts, visit: Visit): Promise<PageAnswer> {
  const user = visit.user!.id;
  const meant = visit.parameter('session') ?? '';
  const event = { event: 'sessions_ended', user_id: user } as const;
  const isDone = await store.write(async (tx) => {
    if (meant === 'others') {
      await tx.sessions.removeOf(user, visit.session?.id_hash);
      await visit.record(tx, event);
      return true;
    }
    const found = /^[0-9a-f]{64}$/.test(meant) ? await tx.sessions.find(meant) : undefined;
    if (found?.user_id !== user) return false;
    await tx.sessions.remove(meant);
    await visit.record(tx, event);
    return true;
  });
  if (!isDone) return refusal('session over');
  return {
    status: 303,
    location: `${PATH}?ended=yes`,
    html: accountDocument('Ended', visit, '<h1>Ended</h1>'),
    noted: [event],
  };
}
