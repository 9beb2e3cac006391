import type { Clock } from '../../base/clock.ts';
import { html } from '../../base/html.ts';
import type { OperatorPage, OperatorRequest, OperatorResponse } from '../../contract/declare/operator-pages.ts';
import { isLiveSession, OPERATOR_SESSION_LIFE_S } from '../../contract/store/logins.ts';
import { sessionEntries } from '../../features/auth/pages/session-entries.ts';
import { alertBox } from '../../markup/boxes.ts';
import { texts } from '../../texts/texts.ts';
import type { OperatorConsoleDeps } from './operator-console-deps.ts';
import { done, formPage, operatorPage } from './operator-forms.ts';

const PATH = '/sessions';
const words = texts.operator.sessions;

/** `/operator/sessions`: the console sessions on all servers; any operator can end any of them. */
export function sessionsPage({ wallClock }: OperatorConsoleDeps): OperatorPage {
  return formPage(
    PATH,
    (request) => list(wallClock, request),
    (request) => end(wallClock, request),
  );
}

async function list(clock: Clock, request: OperatorRequest, problem?: string): Promise<OperatorResponse> {
  const all = await request.read((tx) => tx.operatorSessions.list());
  const live = all.filter((each) => isLiveSession(each, clock.now(), OPERATOR_SESSION_LIFE_S));
  const entries = sessionEntries(live, {
    own: request.session,
    path: `/operator${PATH}`,
    formFields: { ...request.formFields, act: 'end' },
    nameOf: ({ operator }, browser) => words.nameOf(operator, browser),
    endOthers: words.endOthers,
  });
  const content = html`${alertBox(problem)}
<p class="soft">${words.about}</p>
${entries}`;
  return operatorPage(words.title, content, problem === undefined ? 200 : 404);
}

async function end(clock: Clock, request: OperatorRequest): Promise<OperatorResponse> {
  const meant = request.parameter('session') ?? '';
  const isMeant = ({ id_hash }: { readonly id_hash: string }): boolean =>
    meant === 'others' ? id_hash !== request.session : id_hash === meant;
  const found = (await request.read((tx) => tx.operatorSessions.list())).filter(isMeant);
  if (found.length === 0) return list(clock, request, words.over);
  await request.change('session end', async ({ tx, addTarget }) => {
    for (const { id_hash, operator } of found) {
      addTarget('operator', operator);
      await tx.operatorSessions.remove(id_hash);
    }
  });
  return done(PATH);
}
