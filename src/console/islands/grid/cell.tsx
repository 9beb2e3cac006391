import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { cellText, type ListRow, nameOfRow, stateOfRow } from '../../lists/cell-text.ts';
import type { ListColumn } from '../../lists/entity-lists.ts';
import { microsOf } from '../../money.ts';
import { filled } from '../texts.ts';
import type { CellValue } from './edits.ts';
import type { GridInput } from './rows.ts';

/** What a cell shows, and what it does when it was edited. */
interface CellInput {
  readonly input: GridInput;
  readonly row: ListRow;
  readonly column: ListColumn;
  /** What stands beside the state. */
  readonly action: ComponentChildren;
  readonly fault: string | undefined;
  /** Stores a value; whether it was. */
  onSave(value: CellValue): Promise<boolean>;
}

/** One cell; those that can be edited turn into a box. */
export function Cell({ input, row, column, action, fault, onSave }: CellInput) {
  const { words, zone, mayChange } = input;
  const box = useRef<HTMLInputElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  /** What is entered; undefined while it is not edited. */
  const entered = useSignal<string | undefined>(undefined);
  const own = useSignal<string | undefined>(undefined);
  const isEdited = entered.value !== undefined;
  const text = cellText(column, row, zone);
  useEffect(() => {
    if (isEdited) box.current?.select();
  }, [isEdited]);

  const close = (): void => {
    entered.value = undefined;
    own.value = undefined;
    requestAnimationFrame(() => button.current?.focus());
  };
  const save = async (): Promise<void> => {
    const value = enteredValue(column, entered.value!.trim(), row.currency);
    own.value = value === undefined ? filled(words.notAmount, { currency: row.currency }) : undefined;
    if (value === undefined) return;
    if (value === row[column.name] || (await onSave(value))) close();
  };

  if (column.kind === 'state') {
    const { state, text: name, why } = stateOfRow(row, words);
    return (
      <td>
        <span class={`state ${state}`}>{name}</span> {action}
        {why !== '' && (
          <>
            {' '}
            <span class="why" title={why}>
              {why}
            </span>
          </>
        )}
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
          onInput={({ currentTarget }) => (entered.value = currentTarget.value)}
          onKeyDown={({ key }) => {
            if (key === 'Enter') void save();
            if (key === 'Escape') close();
          }}
        />
        <Fault text={own.value ?? fault} />
      </td>
    );
  }
  const isEditable = mayChange && column.isEditable;
  const address = `${input.accountPath}/${input.resource}/${row.id}`;
  const shown = column.name === 'name' ? <a href={address}>{text}</a> : text || words.nothing;
  const name = nameOfRow(row);
  const label =
    column.name === 'name'
      ? filled(words.renameIt, { name })
      : filled(words.edit, { label: column.label, name, value: text || words.nothing });
  return (
    <td class={isNumber}>
      {column.name === 'name' && shown}
      {isEditable ? (
        <button
          type="button"
          class="plain edit"
          ref={button}
          aria-label={label}
          onClick={() => (entered.value = editedText(column, row))}
        >
          {column.name === 'name' ? words.rename : shown}
        </button>
      ) : (
        column.name !== 'name' && shown
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

/** A value as it stands in the box. */
function editedText({ name, kind }: ListColumn, row: ListRow): string {
  const value = row[name] as CellValue;
  if (value === null) return '';
  return kind === 'money' ? String(Number(value) / 1e6) : String(value);
}

/** What was entered, as the API takes it; undefined when it is no amount. */
function enteredValue({ kind }: ListColumn, text: string, currency: string): CellValue | undefined {
  if (kind !== 'money') return text;
  return text === '' ? null : microsOf(text, currency);
}
