import { type Html, html, joinHtml } from '../../base/html.ts';
import { texts } from '../../texts/texts.ts';
import type { AccountVisit } from '../account-visit.ts';
import { firstDay, lastDay, timeText } from '../days.ts';
import { moneyText } from '../money.ts';

const words = texts.history;
const ROWS = 50;
/** Maximum number of users whose names are looked up; others are listed by id. */
const NAMES_MAX = 20;

interface Change {
  readonly change_by: { readonly user_id: string };
  readonly change_time: string;
  readonly change_type: string;
  readonly changes: Readonly<Record<string, { readonly old: unknown; readonly new: unknown }>>;
}

/** The changes of a campaign or line item, newest first. */
export async function historySection(
  visit: AccountVisit,
  entity_type: 'CAMPAIGN' | 'LINE_ITEM',
  entity_id: string,
  currency: string,
): Promise<Html> {
  const { read, account } = visit;
  const parameters = { entity_type, entity_id, count: ROWS };
  const changes: readonly Change[] = await read('account_history.list', parameters);
  const names = await namesOf(visit, changes);
  const textOf = (name: string, value: unknown) => valueText(name, value, currency, account.timezone);
  const rows = changes.map(({ change_by, change_time, change_type, changes: fields }) => {
    const parts = Object.entries(fields)
      .filter(([name]) => !/^(updated_at|created_at|id)$/.test(name))
      .map(
        ([name, { old, new: now }]) =>
          html`<li>${words.changed(nameOf(name), textOf(name, old), textOf(name, now))}</li>`,
      );
    return html`<tr><th scope="row"><time datetime="${change_time}">${timeText(change_time, account.timezone)}</time></th><td>${names.get(change_by.user_id) ?? change_by.user_id}</td><td class="prose">${words.kinds[change_type] ?? change_type}${change_type === 'UPDATE' ? html`<ul>${parts}</ul>` : ''}</td></tr>`;
  });
  return html`<details class="card"><summary>${words.title}</summary><div class="scroll"><table class="broken"><thead><tr><th scope="col">${words.at}</th><th scope="col">${words.who}</th><th scope="col">${words.change}</th></tr></thead><tbody>
${joinHtml(rows, '\n')}
</tbody></table></div></details>`;
}

/** The names of the users who made the changes, by id; deleted users have none. */
async function namesOf({ lookUp }: AccountVisit, changes: readonly Change[]): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(changes.map(({ change_by }) => change_by.user_id))].slice(0, NAMES_MAX);
  const users = await Promise.all(ids.map((user_id) => lookUp('users.show', { user_id })));
  return new Map(
    users.flatMap(({ isDone, reply }, at) => (isDone ? [[ids[at]!, `@${reply.screen_name}`] as const] : [])),
  );
}

function nameOf(name: string): string {
  return (texts.campaign.fields as Readonly<Record<string, string>>)[name] ?? name.replaceAll('_', ' ');
}

function valueText(name: string, value: unknown, currency: string, zone: string): string {
  if (value === null || value === undefined || value === '') return words.nothing;
  if (name.endsWith('_local_micro')) return moneyText(Number(value), currency);
  if (name === 'start_time') return firstDay(String(value), zone);
  if (name === 'end_time') return lastDay(String(value), zone);
  return String(texts.states[String(value)] ?? value);
}
