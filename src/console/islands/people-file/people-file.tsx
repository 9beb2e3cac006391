import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { systemClock } from '../../../base/clock.ts';
import { CsvError } from '../../../base/csv.ts';
import { language } from '../../../base/language.ts';
import {
  COLUMN_KINDS,
  type ColumnKind,
  type Columns,
  columnOf,
  columnOfName,
  isIdentifierKind,
} from '../../../features/audiences/uploads/people-columns.ts';
import {
  type LineFault,
  NOTHING_YET,
  type Progress,
  readParts,
} from '../../../features/audiences/uploads/people-parts.ts';
import { openTable, type PeopleTable } from '../../../features/audiences/uploads/people-table.ts';
import { PHONE_COUNTRIES } from '../../../features/audiences/uploads/phone-number.ts';
import type { peopleFile } from '../../../texts/en/people-file.ts';
import { callApi, isUnavailable, renewToken } from '../page-api.ts';
import { fillIn } from '../texts.ts';
import { pause } from '../timers.ts';
import { bookmarkOf } from './bookmark.ts';
import { type UploadState, upload } from './upload.ts';

/** The `data-input` of the island. */
export interface PeopleFileInput {
  /** The audience path below `/console/api`. */
  readonly path: string;
  /** The login page, for an ended session. */
  readonly loginPath: string;
  /** Whether an earlier upload is still being matched. */
  readonly isProcessing: boolean;
  readonly words: typeof peopleFile;
}

type Match = { readonly is: 'matching' } | { readonly is: 'matched'; readonly size: number | null };

/** Size of a part in bytes: small enough for a progress display, large enough to need few calls. */
const PART_BYTES = 1_000_000;
/** Sample rows displayed to identify the columns. */
const SAMPLES = 3;
/** Maximum number of listed errors. */
const FAULTS_MAX = 20;

/** A form that reads a customer file, hashes it in the browser, and uploads the hashes. */
export function PeopleFile({ path, loginPath, isProcessing, words }: PeopleFileInput) {
  const file = useSignal<File | undefined>(undefined);
  const head = useSignal<PeopleTable | undefined>(undefined);
  const columns = useSignal<Columns>([]);
  const country = useSignal<string | undefined>(undefined);
  const type = useSignal<'Update' | 'Delete'>('Update');
  const fault = useSignal<string | undefined>(undefined);
  const state = useSignal<UploadState | undefined>(undefined);
  const progress = useSignal(NOTHING_YET);
  const bytes = useSignal(0);
  const faults = useSignal<readonly LineFault[]>([]);
  const match = useSignal<Match | undefined>(undefined);
  const stopping = useRef<AbortController>(undefined);

  const choose = async (chosen: File | undefined): Promise<void> => {
    file.value = chosen;
    head.value = undefined;
    columns.value = [];
    state.value = undefined;
    match.value = undefined;
    fault.value = undefined;
    if (!chosen) return;
    try {
      const found = await openTable(chosen.stream());
      if (found.columns.length === 0) fault.value = words.empty;
      else head.value = found;
      columns.value = found.columns;
    } catch (error) {
      fault.value = faultOf(error, words);
    }
  };
  const begin = async (): Promise<void> => {
    if (!columns.value.some((each) => each && isIdentifierKind(each.kind))) {
      fault.value = words.noColumn;
      return;
    }
    fault.value = undefined;
    match.value = undefined;
    stopping.current = new AbortController();
    const bookmark = bookmarkOf(file.value!, [path, type.value, columns.value, country.value]);
    const done = bookmark.read();
    progress.value = done;
    faults.value = [];
    bytes.value = 0;
    addEventListener('beforeunload', askFirst);
    try {
      const parts = readParts(await openTable(counted(file.value!)), {
        ...{ columns: columns.value, country: country.value, type: type.value, window: {}, done },
        ...{ bytesMax: PART_BYTES, now: systemClock.now() },
        hash: (text) => bytesToHex(sha256(utf8ToBytes(text))),
      });
      await upload(parts, {
        ...{ path: `${path}/users`, bookmark, signal: stopping.current.signal },
        onSent(part) {
          progress.value = part.done;
          faults.value = [...faults.value, ...part.faults].slice(0, FAULTS_MAX);
        },
        onState(now) {
          state.value = now;
        },
      });
    } catch (error) {
      state.value = undefined;
      fault.value = faultOf(error, words);
    }
    removeEventListener('beforeunload', askFirst);
    if (state.value?.is === 'done' && progress.value.people > 0) await watch();
  };
  async function* counted(chosen: File): AsyncGenerator<Uint8Array> {
    for await (const piece of chosen.stream()) {
      bytes.value += piece.length;
      yield piece;
    }
  }
  const goOn = async (): Promise<void> => {
    if (await renewToken()) await begin();
    else fault.value = words.stillSignedOut;
  };
  /** Polls until the upload is matched. */
  const watch = async (): Promise<void> => {
    match.value = { is: 'matching' };
    for (;;) {
      const reply = await callApi('GET', path);
      // Another upload has started meanwhile.
      if (match.value?.is !== 'matching') return;
      if (reply.status !== 200 && !isUnavailable(reply)) return;
      const audience = reply.status === 200 ? reply.body.data : undefined;
      if (audience && !audience.reasons_not_targetable.includes('PROCESSING')) {
        match.value = { is: 'matched', size: audience.audience_size };
        return;
      }
      await pause(Math.max(reply.retryAfter_s, 1) * 1000);
    }
  };

  useEffect(() => {
    if (isProcessing) void watch();
  }, []);

  const isBusy = state.value?.is === 'sending' || state.value?.is === 'waiting';
  const share = file.value ? bytes.value / file.value.size : 0;
  return (
    <>
      <div class="field">
        <label for="people-file">{words.file}</label>
        <p class="hint" id="people-file-hint">
          {words.fileHint}
        </p>
        <input
          id="people-file"
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          aria-describedby="people-file-hint"
          disabled={isBusy}
          onChange={({ currentTarget }) => void choose(currentTarget.files?.[0])}
        />
      </div>
      {head.value && (
        <ColumnFields
          head={head.value}
          columns={columns.value}
          words={words}
          isDisabled={isBusy}
          onChange={(now) => (columns.value = now)}
        />
      )}
      {columns.value.some((each) => each?.kind === 'phone_number' && !each.isHashed) && (
        <div class="field">
          <label for="people-country">{words.country}</label>
          <select
            id="people-country"
            value={country.value ?? ''}
            disabled={isBusy}
            onChange={({ currentTarget }) => (country.value = currentTarget.value || undefined)}
          >
            <option value="">{words.noCountry}</option>
            {countries().map(([code, name]) => (
              <option key={code} value={code}>
                {name}
              </option>
            ))}
          </select>
        </div>
      )}
      {head.value && (
        <fieldset disabled={isBusy}>
          <legend>{words.what}</legend>
          {(['Update', 'Delete'] as const).map((each) => (
            <label key={each} class="choice">
              <input
                type="radio"
                name="people-type"
                checked={type.value === each}
                onChange={() => (type.value = each)}
              />{' '}
              {words.types[each]}
            </label>
          ))}
        </fieldset>
      )}
      {fault.value !== undefined && (
        <p class="alert" role="alert">
          {fault.value}
        </p>
      )}
      {state.value && <progress aria-label={words.progress} max={1} value={state.value.is === 'done' ? 1 : share} />}
      <div role="status">
        {state.value && <p>{stateText(state.value, progress.value, words)}</p>}
        {match.value && <p>{matchText(match.value, words)}</p>}
      </div>
      {faults.value.length > 0 && (
        <details open>
          <summary>{words.faults}</summary>
          <ul>
            {faults.value.map((each) => (
              <li key={`${each.line} ${each.column}`}>{faultText(each, head.value?.names, words)}</li>
            ))}
          </ul>
          {faults.value.length === FAULTS_MAX && <p>{fillIn(words.furtherFaults, { shown: FAULTS_MAX })}</p>}
        </details>
      )}
      {state.value?.is === 'signed out' && (
        <p>
          <a href={loginPath} target="_blank" rel="noopener">
            {words.signIn}
          </a>
        </p>
      )}
      {head.value && (
        <div class="buttons">
          {isBusy ? (
            <button type="button" onClick={() => stopping.current?.abort()}>
              {words.stop}
            </button>
          ) : (
            <button
              type="button"
              class="main"
              onClick={() => void (state.value?.is === 'signed out' ? goOn() : begin())}
            >
              {state.value && state.value.is !== 'done' ? words.goOn : words.begin}
            </button>
          )}
        </div>
      )}
    </>
  );
}

interface ColumnFieldsInput {
  readonly head: PeopleTable;
  readonly columns: Columns;
  readonly words: typeof peopleFile;
  readonly isDisabled: boolean;
  onChange(columns: Columns): void;
}

/** The type of each column: guessed from name and values, editable. */
function ColumnFields({ head, columns, words, isDisabled, onChange }: ColumnFieldsInput) {
  const set = (index: number, value: string): void => {
    const kind = value === '' ? undefined : (value as ColumnKind);
    const isHashed = columnOfName(head.names?.[index] ?? '')?.isHashed === true;
    const column = kind && (columnOf(kind, isHashed) ?? columnOf(kind, false));
    onChange(columns.map((each, at) => (at === index ? column : each)));
  };
  return (
    <fieldset disabled={isDisabled}>
      <legend>{words.columns}</legend>
      {columns.map((column, index) => (
        <div class="field" key={index}>
          <label for={`people-column-${index}`}>{columnName(head.names, index, words)}</label>
          <p class="hint" id={`people-column-${index}-hint`}>
            {head.samples
              .slice(0, SAMPLES)
              .flatMap(({ values }) => values[index] || [])
              .join(', ')}
          </p>
          <select
            id={`people-column-${index}`}
            aria-describedby={`people-column-${index}-hint`}
            value={column?.kind ?? ''}
            onChange={({ currentTarget }) => set(index, currentTarget.value)}
          >
            <option value="">{words.unused}</option>
            {COLUMN_KINDS.map((kind) => (
              <option key={kind} value={kind}>
                {words.kinds[kind]}
              </option>
            ))}
          </select>
        </div>
      ))}
    </fieldset>
  );
}

function columnName(names: readonly string[] | undefined, index: number, words: typeof peopleFile): string {
  return names?.[index] || fillIn(words.column, { number: index + 1 });
}

function faultText(
  { line, column, reason }: LineFault,
  names: readonly string[] | undefined,
  words: typeof peopleFile,
): string {
  const values = { line, reason: words.reasons[reason] };
  if (column === undefined) return fillIn(words.rowFault, values);
  return fillIn(words.fault, { ...values, column: columnName(names, column, words) });
}

/** The codes and names of countries, by name. */
function countries(): [code: string, name: string][] {
  const names = new Intl.DisplayNames(language(), { type: 'region' });
  const all = PHONE_COUNTRIES.map((code): [string, string] => [code, names.of(code) ?? code]);
  return all.sort(([, a], [, b]) => a.localeCompare(b, language()));
}

function stateText(state: UploadState, progress: Progress, words: typeof peopleFile): string {
  const { people, skipped, left_out } = progress;
  if (state.is === 'refused') return fillIn(words.refused, { why: state.messages.join('. ') });
  if (state.is === 'waiting') return fillIn(words.states.waiting, { people, seconds: state.for_s });
  return [
    fillIn(words.states[state.is], { people }),
    skipped > 0 ? fillIn(words.skipped, { skipped }) : '',
    left_out > 0 ? fillIn(words.leftOut, { left_out }) : '',
  ]
    .join(' ')
    .trim();
}

function matchText(match: Match, words: typeof peopleFile): string {
  if (match.is === 'matching') return words.matching;
  return match.size === null ? words.tooFew : fillIn(words.matched, { size: match.size });
}

function faultOf(error: unknown, words: typeof peopleFile): string {
  return error instanceof CsvError ? fillIn(words.notCsv, { why: error.message }) : words.notRead;
}

/** Asks for confirmation before the page is left. */
function askFirst(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
