import type { Clock } from '../../../base/clock.ts';
import { html } from '../../../base/html.ts';
import type { Page, PageRequest, PageResponse } from '../../../contract/declare/pages.ts';
import { isLiveSession } from '../../../contract/store/logins.ts';
import type { Store } from '../../../contract/store/store.ts';
import { noticeBox } from '../../../markup/boxes.ts';
import { texts } from '../../../texts/texts.ts';
import { errorPage } from './error-pages.ts';
import { donePage, settingsPage } from './layout.ts';
import { redirectToLogin } from './login-pages.ts';
import { sessionEntries } from './session-entries.ts';

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
  const ended = request.parameter('ended') === 'yes' ? words.ended : undefined;
  const { title } = words;
  const page = settingsPage(
    title,
    request,
    PATH,
    html`<h1>${title}</h1>
${noticeBox(ended)}
<p class="soft">${words.about('/settings/password')}</p>
${sessionEntries(live, {
  ...{ own: request.session?.id_hash, path: PATH, formFields: request.formFields },
  ...{ nameOf: (_, browser) => browser, endOthers: words.endOthers },
})}`,
  );
  return { status: 200, html: page, hasForm: true };
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
