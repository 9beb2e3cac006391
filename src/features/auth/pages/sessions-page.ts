import { html } from '../../../base/html.ts';
import type { Page, PageResponse, UserRequest } from '../../../contract/declare/pages.ts';
import { isLiveSession } from '../../../contract/store/logins.ts';
import { texts } from '../../../texts/texts.ts';
import { errorPage } from './error-pages.ts';
import { noticeAfter, redirect, settingsPage, userPage } from './layout.ts';
import type { PagesDeps } from './pages-deps.ts';
import { sessionEntries } from './session-entries.ts';

const words = texts.settings.sessions;

const PATH = '/settings/sessions';

/** `/settings/sessions`: the sessions of a user, who can end them. */
export function sessionsPage(deps: PagesDeps): Page {
  return userPage(deps, PATH, list, end);
}

async function list({ store, wallClock }: PagesDeps, request: UserRequest): Promise<PageResponse> {
  const all = await store.read((tx) => tx.sessions.list(request.user.id));
  const entries = sessionEntries(
    all.filter((session) => isLiveSession(session, wallClock.now())),
    {
      own: request.session?.id_hash,
      path: PATH,
      formFields: request.formFields,
      nameOf: (_, browser) => browser,
      endOthers: words.endOthers,
    },
  );
  const content = html`${noticeAfter(request, 'ended', words.ended)}
<p class="soft">${words.about('/settings/password')}</p>
${entries}`;
  return settingsPage(words.title, request, PATH, content);
}

async function end({ store }: PagesDeps, request: UserRequest): Promise<PageResponse> {
  const user = request.user.id;
  const id = request.parameter('session') ?? '';
  const event = { event: 'sessions_ended', user_id: user } as const;
  const isDone = await store.write(async (tx) => {
    if (id === 'others') await tx.sessions.removeOf(user, request.session?.id_hash);
    else {
      const found = /^[0-9a-f]{64}$/.test(id) ? await tx.sessions.find(id) : undefined;
      if (found?.user_id !== user) return false;
      await tx.sessions.remove(id);
    }
    await request.record(tx, event);
    return true;
  });
  return isDone ? redirect(request, `${PATH}?ended=yes`, [event]) : errorPage('session over');
}
