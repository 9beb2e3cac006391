import type { Clock } from '../../../base/clock.ts';
import { type Html, html, joinHtml } from '../../../base/html.ts';
import type { FormFields, Page, PageRequest, PageResponse } from '../../../contract/declare/pages.ts';
import { isLiveSession, type Session } from '../../../contract/store/logins.ts';
import type { Store } from '../../../contract/store/store.ts';
import { hiddenFields, noticeBox } from '../../../markup/boxes.ts';
import { timestampElement } from '../../../markup/time-elements.ts';
import { texts } from '../../../texts/texts.ts';
import { errorPage } from './error-pages.ts';
import { donePage, settingsPage } from './layout.ts';
import { redirectToLogin } from './login-pages.ts';

const words = texts.settings.sessions;

const PATH = '/settings/sessions';

/** The dependencies of the page. */
export interface SessionsDeps {
  readonly store: Store;
  readonly wallClock: Clock;
}

/** `/settings/sessions`: the sessions of a user, who can end them. */
export function sessionsPage(deps: SessionsDeps): Page {
  return {
    path: PATH,
    methods: ['GET', 'POST'],
    mayFollowLogin: true,
    async answer(request) {
      if (!request.user) return redirectToLogin(PATH);
      return request.method === 'POST' ? end(deps, request) : renderPage(deps, request);
    },
  };
}

async function renderPage({ store, wallClock }: SessionsDeps, request: PageRequest): Promise<PageResponse> {
  const all = await store.read((tx) => tx.sessions.list(request.user!.id));
  const live = all.filter((session) => isLiveSession(session, wallClock.now()));
  const isOwn = ({ id_hash }: Session): boolean => id_hash === request.session?.id_hash;
  const sorted = [...live.filter(isOwn), ...live.filter((session) => !isOwn(session))];
  const ended = request.parameter('ended') === 'yes' ? words.ended : undefined;
  const { title } = words;
  const page = settingsPage(
    title,
    request,
    PATH,
    html`<h1>${title}</h1>
${noticeBox(ended)}
<p class="soft">${words.about('/settings/password')}</p>
<ul class="entries">${joinHtml(
      sorted.map((session) => entry(session, isOwn(session), request.formFields)),
      '\n',
    )}</ul>
${live.length > 1 ? endOthers(request.formFields) : ''}`,
  );
  return { status: 200, html: page, hasForm: true };
}

function entry(session: Session, isOwn: boolean, formFields: FormFields): Html {
  const browser = session.browser || words.unknownBrowser;
  return html`<li>
<h2>${browser}${isOwn ? html` <span class="mark">${words.own}</span>` : ''}</h2>
<dl class="facts">
<dt>${words.since}</dt><dd>${timestampElement(session.created_at)}</dd>
<dt>${words.lastActive}</dt><dd>${timestampElement(session.last_seen_at)}</dd>
<dt>${words.address}</dt><dd>${session.address || texts.settings.unknown}</dd>
</dl>
${isOwn ? '' : endOne(session, browser, formFields)}
</li>`;
}

function endOne({ id_hash }: Session, browser: string, formFields: FormFields): Html {
  return html`<form method="post" action="${PATH}">
${hiddenFields({ ...formFields, session: id_hash })}
<button type="submit" class="bad" aria-label="${words.endOf(browser)}">${words.end}</button>
</form>`;
}

function endOthers(formFields: FormFields): Html {
  return html`<form method="post" action="${PATH}">
${hiddenFields({ ...formFields, session: 'others' })}
<div class="buttons"><button type="submit" class="bad">${words.endOthers}</button></div>
</form>`;
}

async function end({ store }: SessionsDeps, request: PageRequest): Promise<PageResponse> {
  const user = request.user!.id;
  const meant = request.parameter('session') ?? '';
  const event = { event: 'sessions_ended', user_id: user } as const;
  const isDone = await store.write(async (tx) => {
    if (meant === 'others') {
      await tx.sessions.removeOf(user, request.session?.id_hash);
      await request.record(tx, event);
      return true;
    }
    const found = /^[0-9a-f]{64}$/.test(meant) ? await tx.sessions.find(meant) : undefined;
    if (found?.user_id !== user) return false;
    await tx.sessions.remove(meant);
    await request.record(tx, event);
    return true;
  });
  if (!isDone) return errorPage('session over');
  return {
    status: 303,
    location: `${PATH}?ended=yes`,
    html: donePage(request),
    audited: [event],
  };
}
