import { type ReadonlySignal, signal } from '@preact/signals';
import { cellText, type ListRow, nameOfRow, stateOfRow } from '../../lists/cell-text.ts';
import type { ListColumn } from '../../lists/entity-lists.ts';
import { moneyText } from '../../money.ts';
import { fillIn } from '../texts.ts';
import { pause } from '../timers.ts';
import type { GridInput, Outcome, Rows } from './rows.ts';

/** A value of a field in the API. */
export type CellValue = string | number | null;

/** The last change, with its undo action. */
interface Done {
  readonly text: string;
  readonly undo?: (() => void) | undefined;
}

/** Whether a value was stored, or the confirmation that it needs. */
export interface Saved {
  readonly isDone: boolean;
  readonly question?: string;
}

/** Edits in a list, with their messages. */
export interface Edits {
  readonly done: ReadonlySignal<Done | undefined>;
  /** Why a cell could not be stored. */
  faultOf(row: ListRow, column: ListColumn): string | undefined;
  /** Stores the value of a cell; a suspicious amount only once confirmed. */
  save(row: ListRow, column: ListColumn, value: CellValue, isSure: boolean): Promise<Saved>;
  /** Activates or pauses rows; resolves with whether all succeeded. */
  switchTo(chosen: readonly ListRow[], status: string): Promise<boolean>;
}

/** How long Undo is offered. */
const UNDO_MS = 6000;

const STATUS = 'entity_status';

/** An increase by this factor may be a typing error and needs confirmation. */
const JUMP = 10;

/** Creates the edits of a list. */
export function openEdits({ words, zone }: Pick<GridInput, 'words' | 'zone'>, rows: Rows): Edits {
  const faults = signal<ReadonlyMap<string, string>>(new Map());
  const done = signal<Done | undefined>(undefined);
  const keyOf = ({ id }: ListRow, field: string): string => `${id} ${field}`;

  const say = (next: Done): void => {
    done.value = next;
    void pause(UNDO_MS).then(() => {
      // The message stays until the next one; only Undo expires.
      if (done.value === next && next.undo) done.value = { text: next.text };
    });
  };
  const setFault = (key: string, text: string | undefined): void => {
    const now = new Map(faults.value);
    if (text === undefined) now.delete(key);
    else now.set(key, text);
    faults.value = now;
  };
  /** Why a change was not stored; undefined on success. */
  const faultIn = (outcome: Outcome, textOf: (row: ListRow) => string): string | undefined => {
    if (outcome.is === 'done') return undefined;
    if (outcome.is === 'refused') return outcome.why;
    if (outcome.is === 'conflict') return fillIn(words.conflict, { value: textOf(outcome.row) });
    return outcome.is === 'signed out' ? words.signedOut : words.offline;
  };

  /** Asks to confirm an amount above the campaign's budget, or many times the previous one. @source decision 1142 */
  const questionOf = async (row: ListRow, { name }: ListColumn, value: CellValue): Promise<string | undefined> => {
    if (typeof value !== 'number') return undefined;
    const most = await rows.budgetAbove(row, name);
    if (most !== undefined && value > most) return fillIn(words.overCampaign, { most: moneyText(most, row.currency) });
    const before = Number(row[name] ?? 0);
    if (before === 0 || value < before * JUMP) return undefined;
    return fillIn(words.manyTimes, { times: Math.floor(value / before), before: moneyText(before, row.currency) });
  };
  const save: Edits['save'] = async (row, column, value, isSure) => {
    const question = isSure ? undefined : await questionOf(row, column, value);
    if (question !== undefined) return { isDone: false, question };
    const outcome = await rows.change(row, column.name, value);
    const fault = faultIn(outcome, (stored) => cellText(column, stored, zone) || words.nothing);
    setFault(keyOf(row, column.name), fault);
    if (fault !== undefined) return { isDone: false };
    const now = rows.rows.value.find(({ id }) => id === row.id)!;
    say({
      text: fillIn(words.done.saved, { label: column.label, name: nameOfRow(now) }),
      undo: () => void save(now, column, row[column.name] as CellValue, true),
    });
    return { isDone: true };
  };
  const switchTo: Edits['switchTo'] = async (chosen, status) => {
    const [first] = chosen as readonly [ListRow];
    const isOne = chosen.length === 1;
    const { outcome, changed } = isOne
      ? { outcome: await rows.change(first, STATUS, status), changed: chosen }
      : await rows.changeStatus(chosen, status);
    const fault = faultIn(outcome, (stored) => stateOfRow(stored, words).text);
    for (const row of chosen) setFault(keyOf(row, STATUS), isOne ? fault : undefined);
    const is = status as 'ACTIVE' | 'PAUSED';
    const undo = () => void restore(changed);
    if (fault !== undefined) {
      const some = fillIn(words.doneSome[is], { count: changed.length, total: chosen.length });
      if (!isOne) say(changed.length === 0 ? { text: fault } : { text: `${some} ${fault}`, undo });
      return false;
    }
    const text = isOne
      ? fillIn(words.done[is], { name: nameOfRow(first) })
      : fillIn(words.doneAll[is], { count: chosen.length });
    say({ text, undo });
    return true;
  };
  /** Restores the previous status of rows. */
  const restore = async (before: readonly ListRow[]): Promise<void> => {
    for (const [status, those] of Map.groupBy(before, ({ entity_status }) => entity_status)) {
      const ids = new Set(those.map(({ id }) => id));
      await switchTo(
        rows.rows.value.filter(({ id }) => ids.has(id)),
        status,
      );
    }
  };

  return { done, faultOf: (row, { name }) => faults.value.get(keyOf(row, name)), save, switchTo };
}
