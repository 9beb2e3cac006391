import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { cellText, type ListRow, nameOfRow, stateOfRow } from '../../lists/cell-text.ts';
import type { ListColumn } from '../../lists/entity-lists.ts';
import { microsOf } from '../../money.ts';
import { fillIn } from '../texts.ts';
import type { CellValue, Saved } from './edits.ts';
import type { GridInput } from './rows.ts';

/** Props of a cell. */
interface CellInput {
  readonly input: GridInput;
  readonly row: ListRow;
  readonly column: ListColumn;
  /** Rendered beside the state. */
  readonly action: ComponentChildren;
  readonly fault: string | undefined;
  /** Stores a value; an unusual one only once confirmed. */
  onSave(value: CellValue, isSure: boolean): Promise<Saved>;
}

/** A cell; editable ones turn into an input. */
export function Cell({ input, row, column, action, fault, onSave }: CellInput) {
  const { words, zone, mayChange } = input;
  const box = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  /** The entered text; undefined while not editing. */
  const entered = useSignal<string | undefined>(undefined);
  const own = useSignal<string | undefined>(undefined);
  const question = useSignal<string | undefined>(undefined);
  /** The text before editing. */
  const opened = useRef('');
  const isSaving = useRef(false);
  /** The text that could not be stored: Enter retries, blur does not. */
  const tried = useRef<string>(undefined);
  const stored = editedText(column, row);
  const isTyped = entered.value !== undefined && entered.value !== opened.current;
  const isEdited = entered.value !== undefined;
  const text = cellText(column, row, zone);
  useEffect(() => {
    if (isEdited) box.current?.select();
  }, [isEdited]);

  const open = (text: string): void => {
    opened.current = text;
    entered.value = text;
  };
  // While not editing, the cell follows the stored value, for example after an undo.
  useEffect(() => {
    if (isEdited && !isTyped) open(stored);
  }, [stored]);
  useEffect(() => {
    if (!isTyped) return;
    const warn = (event: Event): void => event.preventDefault();
    addEventListener('beforeunload', warn);
    return () => removeEventListener('beforeunload', warn);
  }, [isTyped]);

  /** @param returns whether the focus returns to the cell */
  const close = (returns: boolean): void => {
    entered.value = undefined;
    own.value = undefined;
    question.value = undefined;
    tried.current = undefined;
    if (returns) requestAnimationFrame(() => button.current?.focus());
  };
  const save = async (returns: boolean, isSure = false): Promise<void> => {
    if (entered.value === undefined || isSaving.current) return;
    const value = enteredValue(column, entered.value.trim(), row.currency);
    own.value = value === undefined ? fillIn(words.notAmount, { currency: row.currency }) : undefined;
    if (value === undefined) return;
    if (value === row[column.name]) return close(returns);
    isSaving.current = true;
    tried.current = entered.value;
    const saved = await onSave(value, isSure);
    isSaving.current = false;
    question.value = saved.question;
    if (saved.isDone) close(returns);
  };
  // A row scrolled out of the window is unmounted together with its input.
  const leave = useRef(save);
  leave.current = save;
  useEffect(() => () => void (tried.current === undefined && leave.current(false)), []);

  if (column.kind === 'state') {
    const { state, text: name, why } = stateOfRow(row, words);
    return (
      <td>
        <span class={`state ${state}`}>{name}</span>{' '}
        {why !== '' && (
          <span class="why" title={why}>
            {why}
          </span>
        )}{' '}
        {action}
        <Fault text={fault} />
      </td>
    );
  }
  const isNumber = column.kind === 'money' ? 'number' : undefined;
  if (isEdited) {
    return (
      <td class={isNumber}>
        <input
          ref={box}
          aria-label={column.label}
          aria-invalid={own.value !== undefined || fault !== undefined}
          inputMode={column.kind === 'money' ? 'decimal' : 'text'}
          maxLength={255}
          value={entered.value}
          onInput={({ currentTarget }) => {
            entered.value = currentTarget.value;
            question.value = undefined;
          }}
          onBlur={() => {
            // The input stays the active element when the window loses the focus.
            if (document.activeElement !== box.current && entered.value !== tried.current) void save(false);
          }}
          onKeyDown={({ key }) => {
            if (key === 'Enter') void save(true);
            if (key === 'Escape') close(true);
          }}
        />
        <Fault text={own.value ?? fault} />
        {question.value !== undefined && (
          <p class="doubt" role="alert">
            {question.value}{' '}
            <button type="button" onClick={() => void save(true, true)}>
              {words.saveAnyway}
            </button>{' '}
            <button type="button" onClick={() => close(true)}>
              {fillIn(words.keep, { value: text || words.nothing })}
            </button>
          </p>
        )}
      </td>
    );
  }
  const isEditable = mayChange && column.isEditable;
  const content =
    column.name === 'name' ? (
      <a href={`${input.accountPath}/${input.resource}/${row.id}`}>{text}</a>
    ) : (
      text || words.nothing
    );
  const name = nameOfRow(row);
  const label =
    column.name === 'name'
      ? fillIn(words.renameIt, { name })
      : fillIn(words.edit, { label: column.label, name, value: text || words.nothing });
  return (
    <td class={isNumber}>
      {column.name === 'name' && content}
      {isEditable ? (
        <button type="button" class="plain edit" ref={button} aria-label={label} onClick={() => open(stored)}>
          {column.name === 'name' ? words.rename : content}
        </button>
      ) : (
        column.name !== 'name' && content
      )}
      <Fault text={fault} />
    </td>
  );
}

const Fault = ({ text }: { readonly text: string | undefined }) =>
  text === undefined ? null : (
    <p class="fault" role="alert">
      {text}
    </p>
  );

/** The initial text of the input. */
function editedText({ name, kind }: ListColumn, row: ListRow): string {
  const value = row[name] as CellValue;
  if (value === null) return '';
  return kind === 'money' ? String(Number(value) / 1e6) : String(value);
}

/** Parses the input to a value of the API; undefined for an invalid amount. */
function enteredValue({ kind }: ListColumn, text: string, currency: string): CellValue | undefined {
  if (kind !== 'money') return text;
  return text === '' ? null : microsOf(text, currency);
}
