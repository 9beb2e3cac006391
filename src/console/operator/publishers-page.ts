import { html } from '../../base/html.ts';
import type { OperatorPage, OperatorRequest, OperatorResponse } from '../../contract/declare/operator-pages.ts';
import { disablePublisher } from '../../features/delivery/serving/publisher-credentials.ts';
import { alertBox } from '../../markup/boxes.ts';
import { tableOf } from '../../markup/tables.ts';
import { texts } from '../../texts/texts.ts';
import { actButton, done, formPage, operatorPage } from './operator-forms.ts';

const PATH = '/publishers';
const words = texts.operator.publishers;

/** `/operator/publishers`: lists all publishers, and disables or enables them. */
export function publishersPage(): OperatorPage {
  return formPage(PATH, (request) => list(request), change);
}

async function list(request: OperatorRequest, problem?: string): Promise<OperatorResponse> {
  const { found, owners } = await request.read(async (tx) => {
    const all = await tx.publishers.list();
    const ids = all.flatMap(({ owner_user_id }) => owner_user_id ?? []);
    return { found: all, owners: await tx.credentials.findScreenNames(ids) };
  });
  const button = (act: 'disable' | 'enable', about: string, publisher: string) =>
    actButton(request, `publisher ${act}`, words[act], { about, fields: { publisher } });
  const rows = found.map(({ id, name, environment, owner_user_id: owner, disabled_at }) => [
    name,
    html`<code>${id}</code>`,
    texts.site.environments[environment],
    owner === null ? words.operators : html`<a href="/operator/users/${owner}">${owners.get(owner) ?? owner}</a>`,
    disabled_at === null ? words.states.active : words.states.disabled,
    button(disabled_at === null ? 'disable' : 'enable', name, id),
  ]);
  const content = html`${alertBox(problem)}
${tableOf([words.name, words.id, words.environment, words.owner, words.state, ''], rows, words.none)}
<p class="soft">${words.disableAbout}</p>`;
  return operatorPage(words.title, content, problem === undefined ? 200 : 404);
}

async function change(request: OperatorRequest): Promise<OperatorResponse> {
  const act = request.parameter('act');
  const id = request.parameter('publisher') ?? '';
  const publisher = await request.read((tx) => tx.publishers.find(id));
  if (!publisher || (act !== 'disable' && act !== 'enable')) return list(request, words.unknown);
  await request.change(`publisher ${act}`, async ({ tx, now, addTarget }) => {
    addTarget('publisher', id);
    await disablePublisher(tx, publisher, act === 'disable' ? now : null);
  });
  return done(PATH);
}
