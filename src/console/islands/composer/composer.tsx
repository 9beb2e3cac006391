import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { composer } from '../../../texts/en/composer.ts';
import { fillIn } from '../texts.ts';
import { isVideo, type UploadedMedia, type UploadProgress, uploadMedia } from './upload-media.ts';

/** The `data-input` of the island. */
export interface ComposerInput {
  /** The upload path below `/console/api`. */
  readonly path: string;
  /** The login page, for an ended session. */
  readonly loginPath: string;
  /** The id of the post text field. */
  readonly textField: string;
  /** The ids of the website card fields. */
  readonly headlineField: string;
  readonly urlField: string;
  /** The ids of the poll choice fields. */
  readonly choiceFields: readonly string[];
  /** The screen name of the author. */
  readonly author: string;
  /** The key of media uploaded before the form was refused; '' for none. */
  readonly media: string;
  readonly words: typeof composer;
}

type Upload = { readonly is: 'none' } | { readonly is: 'uploading'; readonly progress: UploadProgress } | UploadedMedia;

/** A media picker that uploads immediately, and a phone preview of the post. */
export function Composer({
  path,
  loginPath,
  author,
  media,
  words,
  text,
  headline,
  url,
  choices,
}: ComposerInput & {
  text: HTMLTextAreaElement;
  headline: HTMLInputElement;
  url: HTMLInputElement;
  choices: readonly HTMLInputElement[];
}) {
  const typed = useTyped(text);
  const link = { headline: useTyped(headline).value, host: hostOf(useTyped(url).value) };
  // Constant length, so the hooks keep their order.
  const poll = choices.map((field) => useTyped(field).value).filter((choice) => choice !== '');
  const picture = useSignal<string | undefined>(undefined);
  const video = useSignal<string | undefined>(undefined);
  const upload = useSignal<Upload>(media === '' ? { is: 'none' } : { is: 'uploaded', media });
  const field = useRef<HTMLInputElement>(null);
  /** Aborts the upload of an earlier choice. */
  const turn = useRef(new AbortController());
  const nextTurn = (): AbortSignal => {
    turn.current.abort();
    turn.current = new AbortController();
    return turn.current.signal;
  };

  /** A custom validity keeps the browser from sending the form. */
  const set = (next: Upload): void => {
    upload.value = next;
    const reason =
      next.is === 'uploading' ? words.wait : next.is === 'none' || next.is === 'uploaded' ? '' : words.notUploaded;
    field.current!.setCustomValidity(reason);
  };

  const send = async (file: File): Promise<void> => {
    const signal = nextTurn();
    set({ is: 'uploading', progress: 0 });
    const onProgress = (progress: UploadProgress): void => {
      if (!signal.aborted) set({ is: 'uploading', progress });
    };
    const next = await uploadMedia(path, file, { signal, onProgress });
    if (!signal.aborted) set(next);
  };

  const choose = async (file: File | undefined): Promise<void> => {
    if (!file) return remove();
    picture.value = undefined;
    video.value = isVideo(file) ? file.name : undefined;
    // The content security policy does not allow scripts to display videos.
    const reading = isVideo(file) ? undefined : dataUrlOf(file);
    void send(file);
    const { signal } = turn.current;
    const data = await reading;
    if (!signal.aborted) picture.value = data;
  };

  const remove = (): void => {
    nextTurn();
    field.current!.value = '';
    picture.value = undefined;
    video.value = undefined;
    set({ is: 'none' });
  };

  const now = upload.value;
  const fault = faultIn(now, words);
  return (
    <div class="composer">
      <div class="field">
        <label for="picture">{words.picture}</label>
        <p class="hint" id="picture-hint">
          {words.pictureHint}
        </p>
        {fault !== undefined && (
          <p class="fault" id="picture-fault">
            {fault}{' '}
            {now.is === 'signed out' && (
              <a href={loginPath} target="_blank" rel="noopener">
                {words.logIn}
              </a>
            )}
          </p>
        )}
        <input
          ref={field}
          id="picture"
          type="file"
          accept="image/jpeg,image/png,image/webp,image/gif,video/mp4,video/quicktime"
          aria-describedby={fault === undefined ? 'picture-hint' : 'picture-hint picture-fault'}
          aria-invalid={fault !== undefined}
          onChange={({ currentTarget }) => void choose(currentTarget.files?.[0])}
        />
        {now.is === 'uploaded' && <input type="hidden" name="media" value={now.media} />}
        <p class="soft" role="status">
          {statusOf(now, words)}
        </p>
        {now.is !== 'none' && (
          <div class="buttons">
            {(now.is === 'signed out' || now.is === 'unreachable') && (
              <button type="button" onClick={() => void send(field.current!.files![0]!)}>
                {words.again}
              </button>
            )}
            <button type="button" onClick={remove}>
              {words.remove}
            </button>
          </div>
        )}
      </div>
      <figure class="phone" aria-label={words.preview}>
        <figcaption>{words.preview}</figcaption>
        <div class="screen">
          <p>
            <strong>@{author}</strong>
          </p>
          <p class={typed.value === '' ? 'soft' : ''}>{typed.value || words.noText}</p>
          {video.value !== undefined && <p class="soft">{fillIn(words.video, { name: video.value })}</p>}
          {picture.value !== undefined && <img src={picture.value} alt={fillIn(words.pictureAlt, { author })} />}
          {(link.headline !== '' || link.host !== '') && (
            <p class="link">
              <strong>{link.headline}</strong> <span class="soft">{link.host}</span>
            </p>
          )}
          {poll.length > 0 && (
            <ul class="poll">
              {poll.map((choice, at) => (
                <li key={at}>{choice}</li>
              ))}
            </ul>
          )}
          <p class="soft">{words.promoted}</p>
        </div>
      </figure>
    </div>
  );
}

/** A signal with the current text of a field. */
function useTyped(field: HTMLTextAreaElement | HTMLInputElement): Signal<string> {
  const typed = useSignal(field.value);
  useEffect(() => {
    const show = (): void => {
      typed.value = field.value;
    };
    // Include text typed before the script loaded.
    show();
    field.addEventListener('input', show);
    return () => field.removeEventListener('input', show);
  }, [field, typed]);
  return typed;
}

/** The host of a partially typed URL. */
function hostOf(address: string): string {
  return /^https?:\/\/([^/?#]+)/.exec(address)?.[1] ?? '';
}

/** The progress text of the upload. */
function statusOf(upload: Upload, words: typeof composer): string {
  if (upload.is === 'uploaded') return upload.media.startsWith('3_') ? words.uploaded : words.uploadedOther;
  if (upload.is !== 'uploading') return '';
  if (upload.progress === undefined) return words.processing;
  return upload.progress === 0 ? words.uploading : fillIn(words.progress, { percent: upload.progress });
}

/** The reason of a failed upload as display text. */
function faultIn(upload: Upload, words: typeof composer): string | undefined {
  if (upload.is === 'signed out') return words.ended;
  if (upload.is === 'unreachable') return words.unreachable;
  return upload.is === 'refused' ? upload.why || words.notTaken : undefined;
}

function dataUrlOf(file: File): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const reader = new FileReader();
  reader.onload = () => resolve(String(reader.result));
  reader.onerror = () => resolve(undefined);
  reader.readAsDataURL(file);
  return promise;
}
