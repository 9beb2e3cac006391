import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { CsvError } from '../../../base/csv.ts';
import { IDENTIFIER_KINDS, type IdentifierKind } from '../../../contract/store/audiences.ts';
import { isHashedKind } from '../../../features/audiences/uploads/normalize.ts';
import { type Column, columnOfName } from '../../../features/audiences/uploads/people-columns.ts';
import type { peopleFile } from '../../../texts/en/people-file.ts';
import { callApi, isUnavailable, renewToken } from '../page-api.ts';
import { filled } from '../texts.ts';
import { pause } from '../timers.ts';
import { bookmarkOf, NOTHING_YET, type Progress } from './bookmark.ts';
import { type FileHead, readHead, readParts } from './people-parts.ts';
import { type UploadState, upload } from './upload.ts';

/** What the page tells the script. */
export interface PeopleFileInput {
  /** The audience below `/console/api`. */
  readonly path: string;
  /** Where one signs in again. */
  readonly loginPath: string;
  readonly words: typeof peopleFile;
}

type Match = { readonly is: 'matching' } | { readonly is: 'matched'; readonly size: number | null };

/** A form that reads a file of people, hashes them here, and uploads the hashes. */
export function PeopleFile({ path, loginPath, words }: PeopleFileInput) {
  const file = useSignal<File | undefined>(undefined);
  const head = useSignal<FileHead | undefined>(undefined);
  const columns = useSignal<readonly (Column | undefined)[]>([]);
  const type = useSignal<'Update' | 'Delete'>('Update');
  const fault = useSignal<string | undefined>(undefined);
  const state = useSignal<UploadState | undefined>(undefined);
  const progress = useSignal<Progress & { readonly bytes: number }>({ ...NOTHING_YET, bytes: 0 });
  const match = useSignal<Match | undefined>(undefined);
  const stopping = useRef<AbortController>(undefined);

  const choose = async (chosen: File | undefined): Promise<void> => {
    file.value = chosen;
    head.value = undefined;
    state.value = undefined;
    match.value = undefined;
    fault.value = undefined;
    if (!chosen) return;
    try {
      const found = await readHead(chosen);
      if (found.names.length === 0) fault.value = words.empty;
      else head.value = found;
      columns.value = found.names.map(columnOfName);
    } catch (error) {
      fault.value = faultOf(error, words);
    }
  };
  const begin = async (): Promise<void> => {
    if (columns.value.every((each) => each === undefined)) {
      fault.value = words.noColumn;
      return;
    }
    fault.value = undefined;
    match.value = undefined;
    stopping.current = new AbortController();
    const { separator } = head.value!;
    const bookmark = bookmarkOf(file.value!, [path, type.value, columns.value]);
    const done = bookmark.read();
    progress.value = { ...done, bytes: 0 };
    addEventListener('beforeunload', askFirst);
    try {
      const parts = readParts(file.value!, {
        ...{ separator, columns: columns.value, after: done.rows },
      });
      await upload(parts, {
        ...{ path: `${path}/users`, type: type.value, bookmark, signal: stopping.current.signal },
        onProgress(now) {
          progress.value = now;
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
  const goOn = async (): Promise<void> => {
    if (await renewToken()) await begin();
    else fault.value = words.stillSignedOut;
  };
  /** Until the people are matched with those who are known here. */
  const watch = async (): Promise<void> => {
    match.value = { is: 'matching' };
    for (;;) {
      const reply = await callApi('GET', path);
      if (reply.status !== 200 && !isUnavailable(reply)) return;
      const audience = reply.status === 200 ? reply.body.data : undefined;
      if (audience && !audience.reasons_not_targetable.includes('PROCESSING')) {
        match.value = { is: 'matched', size: audience.audience_size };
        return;
      }
      await pause(Math.max(reply.retryAfter_s, 1) * 1000);
    }
  };

  const isBusy = state.value?.is === 'sending' || state.value?.is === 'waiting';
  const share = file.value ? progress.value.bytes / file.value.size : 0;
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
  readonly head: FileHead;
  readonly columns: readonly (Column | undefined)[];
  readonly words: typeof peopleFile;
  readonly isDisabled: boolean;
  onChange(columns: readonly (Column | undefined)[]): void;
}

/** What each column has: guessed by its name, and changed by people. */
function ColumnFields({ head, columns, words, isDisabled, onChange }: ColumnFieldsInput) {
  const set = (index: number, value: string): void => {
    const kind = value === '' ? undefined : (value as IdentifierKind);
    const name = columnOfName(head.names[index]!);
    const isHashed = kind !== undefined && isHashedKind(kind) && name?.isHashed === true;
    onChange(columns.map((each, at) => (at === index ? kind && { kind, isHashed } : each)));
  };
  return (
    <fieldset disabled={isDisabled}>
      <legend>{words.columns}</legend>
      {head.names.map((name, index) => (
        <div class="field" key={name}>
          <label for={`people-column-${index}`}>{name}</label>
          <p class="hint" id={`people-column-${index}-hint`}>
            {head.samples.flatMap((row) => row[index] || []).join(', ')}
          </p>
          <select
            id={`people-column-${index}`}
            aria-describedby={`people-column-${index}-hint`}
            value={columns[index]?.kind ?? ''}
            onChange={({ currentTarget }) => set(index, currentTarget.value)}
          >
            <option value="">{words.unused}</option>
            {IDENTIFIER_KINDS.map((kind) => (
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

function stateText(state: UploadState, { people, skipped }: Progress, words: typeof peopleFile): string {
  if (state.is === 'refused') return filled(words.refused, { why: state.messages.join('. ') });
  if (state.is === 'waiting') return filled(words.states.waiting, { people, seconds: state.for_s });
  return filled(words.states[state.is], { people }) + (skipped > 0 ? ` ${filled(words.skipped, { skipped })}` : '');
}

function matchText(match: Match, words: typeof peopleFile): string {
  if (match.is === 'matching') return words.matching;
  return match.size === null ? words.tooFew : filled(words.matched, { size: match.size });
}

function faultOf(error: unknown, words: typeof peopleFile): string {
  return error instanceof CsvError ? filled(words.notCsv, { why: error.message }) : words.notText;
}

/** The browser asks before the page is left. */
function askFirst(event: BeforeUnloadEvent): void {
  event.preventDefault();
}
