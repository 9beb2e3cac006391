import { firstDay, lastDay } from '../days.ts';
import { moneyText } from '../money.ts';
import type { ListColumn } from './entity-lists.ts';

/** A campaign or line item, as the API replies with it. */
export interface ListRow {
  readonly id: string;
  readonly name: string | null;
  readonly currency: string;
  readonly entity_status: string;
  readonly effective_status?: string;
  readonly reasons_not_servable?: readonly string[];
  readonly [field: string]: unknown;
}

/** What a row is called. */
export function nameOfRow({ name, id }: ListRow): string {
  return name ?? id;
}

/** The text of a cell; '' for nothing. States have a mark of their own. @param zone of the account */
export function cellText({ name, kind, words = {} }: ListColumn, row: ListRow, zone: string): string {
  const value = row[name] as string | number | null;
  if (value === null || value === undefined) return name === 'name' ? nameOfRow(row) : '';
  if (kind === 'money') return moneyText(Number(value), row.currency);
  if (kind === 'day') return name === 'end_time' ? lastDay(String(value), zone) : firstDay(String(value), zone);
  return kind === 'word' ? (words[value] ?? String(value)) : String(value);
}

/**
 * The state of a row in a word, and why it does not serve. Where the API does not know the effective one, as of campaigns
 * without line items, it is the status that its user has set.
 */
export function stateOfRow(
  row: Pick<ListRow, 'entity_status' | 'effective_status' | 'reasons_not_servable'>,
  words: { readonly states: Readonly<Record<string, string>>; readonly reasons: Readonly<Record<string, string>> },
): { readonly state: string; readonly text: string; readonly why: string } {
  const { entity_status, effective_status = '', reasons_not_servable: reasons = [] } = row;
  const state = effective_status in words.states ? effective_status : entity_status;
  // Of a draft nobody wonders that it does not run.
  const told = entity_status === 'DRAFT' ? reasons.filter((reason) => reason !== 'PAUSED_BY_ADVERTISER') : reasons;
  const why = told.map((reason) => words.reasons[reason] ?? reason).join('. ');
  return { state: state.toLowerCase(), text: words.states[state] ?? state, why };
}

/** What the button beside a state does: it stops what is active, and starts everything else. */
export function switchOf(
  { entity_status }: Pick<ListRow, 'entity_status'>,
  words: { readonly pause: string; readonly activate: string; readonly goLive: string },
): { readonly status: 'ACTIVE' | 'PAUSED'; readonly label: string } {
  if (entity_status === 'ACTIVE') return { status: 'PAUSED', label: words.pause };
  return { status: 'ACTIVE', label: entity_status === 'DRAFT' ? words.goLive : words.activate };
}
