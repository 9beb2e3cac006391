import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type ListRow, stateOfRow } from '../../lists/cell-text.ts';
import type { ListColumn } from '../../lists/entity-lists.ts';
import { filled } from '../texts.ts';
import { pause } from '../timers.ts';
import { Cell } from './cell.tsx';
import { useRowWindow } from './row-window.ts';
import type { GridInput, Outcome, Rows } from './rows.ts';

/** What was done last, and how it is undone. */
interface Done {
  readonly text: string;
  readonly undo?: () => void;
}

/** Pixels of a row, as the style sheet has it. */
const ROW_HEIGHT = 52;
/** Rows that are fetched before one scrolls to them. */
const AHEAD = 500;
const UNDO_MS = 6000;

/** A table of campaigns or line items: scrolled, sorted, edited and switched in place. */
export function Grid({ input, rows }: { readonly input: GridInput; readonly rows: Rows }) {
  const { words, mayChange } = input;
  const scroller = useRef<HTMLElement>(null);
  const hidden = useSignal<ReadonlySet<string>>(new Set());
  const selected = useSignal<ReadonlySet<string>>(new Set());
  const faults = useSignal<ReadonlyMap<string, string>>(new Map());
  const done = useSignal<Done | undefined>(undefined);
  const all = rows.rows.value;
  const shown = useRowWindow(scroller, { count: all.length, height: ROW_HEIGHT }).value;
  const columns = input.columns.filter(({ name }) => !hidden.value.has(name));

  useEffect(() => void rows.fetchTo(shown.end + AHEAD), [shown.end]);

  const say = (next: Done): void => {
    done.value = next;
    void pause(UNDO_MS).then(() => {
      // What is said stays until something else is; only the time to undo it ends.
      if (done.value === next && next.undo) done.value = { text: next.text };
    });
  };
  const setFault = (key: string, text: string | undefined): void => {
    const now = new Map(faults.value);
    if (text === undefined) now.delete(key);
    else now.set(key, text);
    faults.value = now;
  };
  /** What was refused, in words; undefined when it was done. */
  const wordsOf = (outcome: Outcome, shownValue: (row: ListRow) => string): string | undefined => {
    if (outcome.is === 'done') return undefined;
    if (outcome.is === 'refused') return outcome.why;
    if (outcome.is === 'conflict') return filled(words.conflict, { value: shownValue(outcome.row) });
    return outcome.is === 'signed out' ? words.signedOut : words.offline;
  };
  const save = async (
    row: ListRow,
    column: ListColumn,
    value: string | number | null,
    text: (row: ListRow) => string,
  ) => {
    const outcome = await rows.change(row, column.name, value);
    const fault = wordsOf(outcome, text);
    setFault(`${row.id} ${column.name}`, fault);
    if (fault !== undefined) return false;
    const before = row[column.name] as string | number | null;
    const now = rows.rows.value.find(({ id }) => id === row.id)!;
    say({
      text: filled(words.done.saved, { label: column.label, name: nameOf(now) }),
      undo: () => void save(now, column, before, text),
    });
    return true;
  };
  const switchTo = async (chosen: readonly ListRow[], status: string): Promise<void> => {
    const [first] = chosen;
    const isOne = chosen.length === 1;
    const outcome = isOne
      ? await rows.change(first!, 'entity_status', status)
      : await rows.changeStatus(chosen, status);
    const fault = wordsOf(outcome, (row) => stateOfRow(row, words).text);
    for (const { id } of chosen) setFault(`${id} entity_status`, isOne ? fault : undefined);
    if (fault !== undefined) {
      if (!isOne) say({ text: fault });
      return;
    }
    selected.value = new Set();
    const is = status as 'ACTIVE' | 'PAUSED';
    const text = isOne ? words.done[is] : words.doneAll[is];
    const ids = new Set(chosen.map(({ id }) => id));
    // A draft that went live does not become one again.
    const back = chosen.some(({ entity_status }) => entity_status === 'DRAFT')
      ? undefined
      : () =>
          void restore(
            rows.rows.value.filter(({ id }) => ids.has(id)),
            chosen,
          );
    say({ text: filled(text, { name: nameOf(first!), count: chosen.length.toLocaleString('en') }), undo: back });
  };
  /** Gives rows the status that they had. */
  const restore = async (now: readonly ListRow[], before: readonly ListRow[]): Promise<void> => {
    for (const status of ['ACTIVE', 'PAUSED']) {
      const had = new Set(before.filter(({ entity_status }) => entity_status === status).map(({ id }) => id));
      const changed = now.filter(({ id }) => had.has(id));
      if (changed.length > 0) await switchTo(changed, status);
    }
  };
  const sortBy = (name: string): void => {
    const sort = `${name}-${rows.sort.value === `${name}-asc` ? 'desc' : 'asc'}`;
    const address = new URL(location.href);
    address.searchParams.set('sort', sort);
    address.searchParams.delete('cursor');
    history.replaceState(null, '', address);
    scroller.current?.scrollTo({ top: 0 });
    void rows.sortBy(sort);
  };
  const toggle = (set: ReadonlySet<string>, name: string): ReadonlySet<string> => {
    const now = new Set(set);
    if (!now.delete(name)) now.add(name);
    return now;
  };
  const chosen = all.filter(({ id }) => selected.value.has(id));

  return (
    <>
      <div class="grid-bar">
        <p>{filled(words.count, { total: rows.total.value.toLocaleString('en') })}</p>
        <details class="columns">
          <summary>{words.columns}</summary>
          <div>
            {input.columns.slice(1).map(({ name, label }) => (
              <label key={name} class="choice">
                <input
                  type="checkbox"
                  checked={!hidden.value.has(name)}
                  onChange={() => (hidden.value = toggle(hidden.value, name))}
                />{' '}
                {label}
              </label>
            ))}
          </div>
        </details>
        <a href="?view=plain">{words.plain}</a>
        {chosen.length > 0 && (
          <p>
            {filled(words.selected, { count: chosen.length.toLocaleString('en') })}{' '}
            <button type="button" onClick={() => void switchTo(chosen, 'ACTIVE')}>
              {words.activate}
            </button>{' '}
            <button type="button" onClick={() => void switchTo(chosen, 'PAUSED')}>
              {words.pause}
            </button>
          </p>
        )}
      </div>
      {rows.trouble.value !== undefined && (
        <p class="alert" role="alert">
          {rows.trouble.value === 'signed out' ? (
            <>
              {words.signedOut}{' '}
              <a href={input.loginPath} target="_blank" rel="noopener">
                {words.signIn}
              </a>
            </>
          ) : (
            <>
              {words.offline}{' '}
              <button type="button" onClick={() => void rows.fetchTo(shown.end + AHEAD)}>
                {words.tryAgain}
              </button>
            </>
          )}
        </p>
      )}
      <section
        class="scroll window"
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it
        tabIndex={0}
        aria-label={document.querySelector('h1')!.textContent}
      >
        <table class="grid" aria-rowcount={rows.total.value + 1}>
          <thead>
            <tr aria-rowindex={1}>
              {mayChange && <td />}
              {columns.map((column) => (
                <Head key={column.name} column={column} sort={rows.sort.value} onSort={sortBy} words={words} />
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.before > 0 && <tr class="gap" style={{ height: `${shown.before}px` }} />}
            {all.slice(shown.first, shown.end).map((row, at) => (
              <tr key={row.id} aria-rowindex={shown.first + at + 2}>
                {mayChange && (
                  <td>
                    <input
                      type="checkbox"
                      aria-label={filled(words.select, { name: nameOf(row) })}
                      checked={selected.value.has(row.id)}
                      onChange={() => (selected.value = toggle(selected.value, row.id))}
                    />
                  </td>
                )}
                {columns.map((column) => (
                  <Cell
                    key={column.name}
                    {...{ input, row, column }}
                    action={
                      mayChange && (
                        <StatusButton row={row} words={words} onSwitch={(status) => void switchTo([row], status)} />
                      )
                    }
                    fault={faults.value.get(`${row.id} ${column.name}`)}
                    onSave={(value, text) => save(row, column, value, text)}
                  />
                ))}
              </tr>
            ))}
            {shown.after > 0 && <tr class="gap" style={{ height: `${shown.after}px` }} />}
          </tbody>
        </table>
      </section>
      <div class="toast" role="status">
        {done.value?.text}{' '}
        {done.value?.undo && (
          <button type="button" onClick={done.value.undo}>
            {words.undo}
          </button>
        )}
      </div>
    </>
  );
}

const nameOf = ({ name, id }: ListRow): string => name ?? id;

interface HeadInput {
  readonly column: ListColumn;
  readonly sort: string | undefined;
  readonly words: GridInput['words'];
  onSort(name: string): void;
}

function Head({ column: { name, label, kind, isSortable }, sort, words, onSort }: HeadInput) {
  const order = sort === `${name}-asc` ? 'asc' : sort === `${name}-desc` ? 'desc' : undefined;
  return (
    <th
      scope="col"
      class={kind === 'money' ? 'number' : undefined}
      aria-sort={order && (words.sorted[order] as 'ascending' | 'descending')}
    >
      {isSortable ? (
        <button type="button" class="plain" onClick={() => onSort(name)}>
          {label}
        </button>
      ) : (
        label
      )}
    </th>
  );
}

interface StatusButtonInput {
  readonly row: ListRow;
  readonly words: GridInput['words'];
  onSwitch(status: 'ACTIVE' | 'PAUSED'): void;
}

function StatusButton({ row, words, onSwitch }: StatusButtonInput) {
  const isActive = row.entity_status === 'ACTIVE';
  const what = isActive ? words.pause : words.activate;
  return (
    <button
      type="button"
      aria-label={`${what} ${nameOf(row)}`}
      onClick={() => onSwitch(isActive ? 'PAUSED' : 'ACTIVE')}
    >
      {what}
    </button>
  );
}
