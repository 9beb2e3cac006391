import { type Html, html } from '../../base/html.ts';
import { numberText } from '../../base/language.ts';
import { APPLICATION_LIMITS } from '../../contract/declare/application-limits.ts';
import type { OperatorPage, OperatorRequest, OperatorResponse } from '../../contract/declare/operator-pages.ts';
import { ACCESS_LEVELS, type AccessLevel, type Application } from '../../contract/store/credentials.ts';
import { suspendApplication } from '../../features/auth/applications/administration.ts';
import { LEVEL_NAMES } from '../../features/auth/pages/access-levels.ts';
import { alertBox } from '../../markup/boxes.ts';
import { formField, selectField } from '../../markup/form-fields.ts';
import { definitionList, tableOf } from '../../markup/tables.ts';
import { texts } from '../../texts/texts.ts';
import { auditLink } from './audit-page.ts';
import type { OperatorConsoleDeps } from './operator-console-deps.ts';
import { actButton, actForm, done, formPage, nextLink, operatorPage, unknownPage } from './operator-forms.ts';

const PATH = '/applications';
const ROWS = 100;
const LIMIT_MAX = 1_000_000_000;
const words = texts.operator.applications;

/** `/operator/applications`: all applications. */
export function applicationsPage(): OperatorPage {
  return { path: PATH, methods: ['GET'], answer: list };
}

/** `/operator/applications/:id`: access level, limits and suspension of an application. */
export function applicationPage(deps: OperatorConsoleDeps): OperatorPage {
  return formPage(
    `${PATH}/:id`,
    (request) => show(deps, request),
    (request) => change(deps, request),
  );
}

async function list(request: OperatorRequest): Promise<OperatorResponse> {
  const after = request.parameter('after') ?? '';
  const { found, owners } = await request.read(async (tx) => {
    const page = await tx.credentials.listApplications({ after, limit: ROWS + 1 });
    return { found: page, owners: await tx.credentials.findScreenNames(page.map((each) => each.owner_user_id)) };
  });
  const rows = found
    .slice(0, ROWS)
    .map((each) => [
      html`<a href="/operator${PATH}/${each.id}">${each.name}</a>`,
      html`<code>${each.consumer_key}</code>`,
      LEVEL_NAMES[each.access_level],
      html`<a href="/operator/users/${each.owner_user_id}">${owners.get(each.owner_user_id) ?? each.owner_user_id}</a>`,
      stateOf(each),
    ]);
  const more = found.length > ROWS ? `after=${found[ROWS - 1]!.id}` : undefined;
  return operatorPage(
    words.title,
    html`${tableOf([words.name, words.key, words.level, words.owner, words.state], rows, words.none)}${nextLink(more)}`,
  );
}

async function show(
  { applicationLimits }: OperatorConsoleDeps,
  request: OperatorRequest,
  problem?: string,
): Promise<OperatorResponse> {
  const id = request.pathParams.id!;
  const found = await request.read(async (tx) => {
    const application = await tx.credentials.findApplication(id);
    if (!application) return undefined;
    const owner = await tx.credentials.findUser(application.owner_user_id);
    const counts = await tx.credentials.listTokenCounts(id);
    return { application, owner, counts, own: await tx.applicationLimits.find(id) };
  });
  if (!found) return unknownPage(PATH, words);
  const { application, owner, counts, own } = found;
  const tokens = counts.map(({ access_level, count }) => `${count} × ${LEVEL_NAMES[access_level]}`).join(', ');
  const facts = definitionList([
    [words.id, html`<code>${id}</code>`],
    [words.key, html`<code>${application.consumer_key}</code>`],
    [words.owner, html`<a href="/operator/users/${application.owner_user_id}">${owner?.screen_name ?? ''}</a>`],
    [words.state, stateOf(application)],
    [words.tokens, tokens || words.noTokens],
  ]);
  const button = (act: 'suspend' | 'resume'): Html =>
    actButton(request, `app ${act}`, words[act], { about: application.name });
  const content = html`${alertBox(problem)}
<section class="card">${facts}
${application.suspended ? html`<div class="buttons">${button('resume')}</div>` : button('suspend')}<p class="soft">${words.suspendAbout}</p></section>
<section class="card"><h2>${words.level}</h2>${actForm(
    request,
    'app level',
    html`${selectField(
      'level',
      words.level,
      ACCESS_LEVELS.map((each) => [each, LEVEL_NAMES[each]]),
      application.access_level,
    )}
<p class="hint">${words.levelAbout}</p>`,
    words.save,
  )}</section>
<section class="card"><h2>${words.limits}</h2>${actForm(
    request,
    'app limits',
    html`${APPLICATION_LIMITS.map((name) =>
      formField(
        {
          member: name,
          label: words.limitNames[name],
          hint: words.usual(numberText(applicationLimits[name])),
          attributes: html`inputmode="numeric"`,
        },
        own[name] === undefined ? '' : String(own[name]),
      ),
    )}`,
    words.save,
  )}</section>`;
  const actions = auditLink('application', application.id);
  return operatorPage(application.name, content, problem === undefined ? 200 : 400, actions);
}

async function change(deps: OperatorConsoleDeps, request: OperatorRequest): Promise<OperatorResponse> {
  const id = request.pathParams.id!;
  const act = request.parameter('act') ?? '';
  const isKnown = await request.read(async (tx) => (await tx.credentials.findApplication(id)) !== undefined);
  if (!isKnown) return show(deps, request);
  if (act === 'suspend' || act === 'resume') {
    await request.change(`app ${act}`, async ({ tx, addTarget }) => {
      addTarget('application', id);
      await suspendApplication(tx, id, act === 'suspend');
    });
  } else if (act === 'level' && ACCESS_LEVELS.includes(request.parameter('level') as AccessLevel)) {
    await request.change('app level', async ({ tx, addTarget }) => {
      addTarget('application', id);
      await tx.credentials.changeApplication(id, { access_level: request.parameter('level') as AccessLevel });
      tx.invalidate(`application:${id}`);
    });
  } else if (act === 'limits') {
    const limits = APPLICATION_LIMITS.map((name) => [name, limitOf(name, request.parameter(name) ?? '')] as const);
    const wrong = limits.find(([, value]) => value === undefined);
    if (wrong) return show(deps, request, words.wrongLimit(words.limitNames[wrong[0]], numberText(LIMIT_MAX)));
    await request.change('app limits', async ({ tx, addTarget }) => {
      addTarget('application', id);
      await tx.credentials.lockApplication(id);
      for (const [name, value] of limits) await tx.applicationLimits.set(id, name, value!);
    });
  } else return show(deps, request, texts.operator.users.unknownAct);
  return done(`${PATH}/${id}`);
}

/** Parses a limit: null means the default of the settings; undefined if invalid. */
function limitOf(name: (typeof APPLICATION_LIMITS)[number], text: string): number | null | undefined {
  if (text.trim() === '') return null;
  // At 0, a stream could never send its events.
  const least = name === 'stream_events_per_s' ? 1 : 0;
  const value = /^\d{1,10}$/.test(text.trim()) ? Number(text) : -1;
  return value >= least && value <= LIMIT_MAX ? value : undefined;
}

const stateOf = ({ suspended }: Application): string =>
  suspended ? texts.operator.users.states.suspended : texts.operator.users.states.active;
