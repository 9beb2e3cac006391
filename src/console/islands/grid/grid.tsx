import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { type ListRow, nameOfRow, reviewPathOf, switchOf } from '../../lists/cell-text.ts';
import type { ListColumn } from '../../lists/entity-lists.ts';
import { fillIn } from '../texts.ts';
import { Cell } from './cell.tsx';
import { openEdits } from './edits.ts';
import { useRowWindow } from './row-window.ts';
import type { GridInput, Rows } from './rows.ts';

/** Height of a row in pixels; the same as in the style sheet. */
const ROW_HEIGHT = 52;
/** Rows fetched ahead of scrolling. */
const AHEAD = 500;

/** A table of campaigns or line items: scrolled, sorted, edited and switched in place. */
export function Grid({ input, rows }: { readonly input: GridInput; readonly rows: Rows }) {
  const { words, mayChange } = input;
  const scroller = useRef<HTMLElement>(null);
  const edits = useMemo(() => openEdits(input, rows), [input, rows]);
  const hidden = useSignal(hiddenColumns());
  const selected = useSignal<ReadonlySet<string>>(new Set());
  const all = rows.rows.value;
  const visible = useRowWindow(scroller, { count: all.length, height: ROW_HEIGHT }).value;
  const columns = input.columns.filter(({ name }) => !hidden.value.has(name));
  const fetchAhead = (): Promise<void> => rows.fetchTo(visible.end + AHEAD);
  useEffect(() => void fetchAhead(), [visible.end]);

  const sortBy = async (name: string): Promise<void> => {
    const sort = `${name}-${rows.sort.value === `${name}-asc` ? 'desc' : 'asc'}`;
    await rows.sortBy(sort);
    if (rows.sort.value !== sort) return;
    history.replaceState(null, '', addressWith('sort', sort));
    scroller.current?.scrollTo({ top: 0 });
  };
  const switchChosen = async (chosen: readonly ListRow[], status: string): Promise<void> => {
    if (await edits.switchTo(chosen, status)) selected.value = new Set();
  };

  return (
    <>
      <div class="grid-bar">
        <p>{fillIn(words.count, { total: rows.total.value })}</p>
        <ColumnChooser
          columns={input.columns.slice(1)}
          hidden={hidden.value}
          words={words}
          onToggle={(name) => {
            hidden.value = toggled(hidden.value, name);
            rememberHidden(hidden.value);
          }}
        />
        <a href={addressWith('view', 'plain')}>{words.plain}</a>
        {selected.value.size > 0 && (
          <Chosen rows={all.filter(({ id }) => selected.value.has(id))} words={words} onSwitch={switchChosen} />
        )}
      </div>
      <Trouble input={input} rows={rows} onRetry={() => void rows.tryAgain().then(fetchAhead)} />
      <section
        class="scroll window"
        ref={scroller}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable by keyboard
        tabIndex={0}
        aria-label={document.querySelector('h1')!.textContent}
      >
        <table class="grid" aria-rowcount={rows.total.value + 1}>
          <thead>
            <tr aria-rowindex={1}>
              {mayChange && <td />}
              {columns.map((column) => (
                <Head key={column.name} column={column} sort={rows.sort.value} onSort={sortBy} />
              ))}
            </tr>
          </thead>
          <tbody>
            {visible.before > 0 && <tr class="gap" style={{ height: `${visible.before}px` }} />}
            {all.slice(visible.first, visible.end).map((row, at) => (
              <tr key={row.id} aria-rowindex={visible.first + at + 2}>
                {mayChange && (
                  <td>
                    <input
                      type="checkbox"
                      aria-label={fillIn(words.select, { name: nameOfRow(row) })}
                      checked={selected.value.has(row.id)}
                      onChange={() => {
                        selected.value = toggled(selected.value, row.id);
                      }}
                    />
                  </td>
                )}
                {columns.map((column) => (
                  <Cell
                    key={column.name}
                    {...{ input, row, column }}
                    action={mayChange && <SwitchButton row={row} input={input} onSwitch={edits.switchTo} />}
                    fault={edits.faultOf(row, column)}
                    onSave={(value, isSure) => edits.save(row, column, value, isSure)}
                  />
                ))}
              </tr>
            ))}
            {visible.after > 0 && <tr class="gap" style={{ height: `${visible.after}px` }} />}
          </tbody>
        </table>
      </section>
      <div class="toast" role="status">
        {edits.done.value?.text}{' '}
        {edits.done.value?.undo && (
          <button type="button" onClick={edits.done.value.undo}>
            {words.undo}
          </button>
        )}
      </div>
    </>
  );
}

/** The URL of the page with one query parameter changed. */
function addressWith(name: string, value: string): string {
  const query = new URLSearchParams(location.search);
  query.set(name, value);
  return `?${query}`;
}

/** The `localStorage` key of hidden columns, shared by all accounts. */
const hiddenKey = (): string => `barker.hidden-columns.${location.pathname.split('/').at(-1)}`;

function hiddenColumns(): ReadonlySet<string> {
  try {
    return new Set(localStorage.getItem(hiddenKey())?.split(' '));
  } catch {
    // Without storage, all columns are visible.
    return new Set();
  }
}

function rememberHidden(hidden: ReadonlySet<string>): void {
  try {
    localStorage.setItem(hiddenKey(), [...hidden].join(' '));
  } catch {
    // Without storage, the choice lasts until the page is left.
  }
}

function toggled(set: ReadonlySet<string>, name: string): ReadonlySet<string> {
  const now = new Set(set);
  if (!now.delete(name)) now.add(name);
  return now;
}

type Words = GridInput['words'];

interface ColumnChooserInput {
  readonly columns: readonly ListColumn[];
  readonly hidden: ReadonlySet<string>;
  readonly words: Words;
  onToggle(name: string): void;
}

function ColumnChooser({ columns, hidden, words, onToggle }: ColumnChooserInput) {
  return (
    <details class="columns">
      <summary>{words.columns}</summary>
      <div>
        {columns.map(({ name, label }) => (
          <label key={name} class="choice">
            <input type="checkbox" checked={!hidden.has(name)} onChange={() => onToggle(name)} /> {label}
          </label>
        ))}
      </div>
    </details>
  );
}

interface ChosenInput {
  readonly rows: readonly ListRow[];
  readonly words: Words;
  onSwitch(rows: readonly ListRow[], status: string): Promise<void>;
}

/** Actions for the selected rows. Drafts go live from the review page. */
function Chosen({ rows, words, onSwitch }: ChosenInput) {
  const switched = rows.filter((row) => switchOf(row, words));
  const isDisabled = switched.length === 0;
  return (
    <p>
      {fillIn(words.selected, { count: rows.length })}{' '}
      <button type="button" disabled={isDisabled} onClick={() => void onSwitch(switched, 'ACTIVE')}>
        {words.activate}
      </button>{' '}
      <button type="button" disabled={isDisabled} onClick={() => void onSwitch(switched, 'PAUSED')}>
        {words.pause}
      </button>
    </p>
  );
}

interface TroubleInput {
  readonly input: GridInput;
  readonly rows: Rows;
  onRetry(): void;
}

/** The reason of the last failed call, with a retry or login link. */
function Trouble({ input: { words, loginPath }, rows, onRetry }: TroubleInput) {
  const trouble = rows.trouble.value;
  const alert = (content: ComponentChildren) => (
    <p class="alert" role="alert">
      {content}
    </p>
  );
  if (trouble === undefined) return null;
  if (trouble === 'unreachable') {
    return alert(
      <>
        {words.offline}{' '}
        <button type="button" onClick={onRetry}>
          {words.tryAgain}
        </button>
      </>,
    );
  }
  return alert(
    <>
      {words.signedOut}{' '}
      <a href={loginPath} target="_blank" rel="noopener">
        {words.signIn}
      </a>
    </>,
  );
}

interface HeadInput {
  readonly column: ListColumn;
  readonly sort: string | undefined;
  onSort(name: string): Promise<void>;
}

function Head({ column: { name, label, kind, isSortable }, sort, onSort }: HeadInput) {
  const order = sort === `${name}-asc` ? 'asc' : sort === `${name}-desc` ? 'desc' : undefined;
  return (
    <th
      scope="col"
      class={kind === 'money' ? 'number' : undefined}
      aria-sort={isSortable ? (order ? `${order}ending` : 'none') : undefined}
    >
      {isSortable ? (
        <button type="button" class="plain" onClick={() => void onSort(name)}>
          {label}
        </button>
      ) : (
        label
      )}
    </th>
  );
}

interface SwitchButtonInput {
  readonly row: ListRow;
  readonly input: GridInput;
  onSwitch(rows: readonly ListRow[], status: string): Promise<boolean>;
}

function SwitchButton({ row, input: { words, accountPath }, onSwitch }: SwitchButtonInput) {
  const found = switchOf(row, words);
  if (!found) {
    return (
      <a class="button" href={accountPath + reviewPathOf(row)} aria-label={`${words.review} ${nameOfRow(row)}`}>
        {words.review}
      </a>
    );
  }
  const { status, label } = found;
  return (
    <button type="button" aria-label={`${label} ${nameOfRow(row)}`} onClick={() => void onSwitch([row], status)}>
      {label}
    </button>
  );
}
