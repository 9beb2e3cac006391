import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { composer } from '../../../texts/en/composer.ts';
import { callApi, type Refusal, refusalOf } from '../page-api.ts';
import { filled } from '../texts.ts';

/** What the page tells the script. */
export interface ComposerInput {
  /** Where pictures are uploaded, below `/console/api`. */
  readonly path: string;
  /** Where one signs in again. */
  readonly loginPath: string;
  /** The id of the field with the text of the post. */
  readonly textField: string;
  /** The ids of the fields of its link. */
  readonly headlineField: string;
  readonly urlField: string;
  /** Who writes, by screen name. */
  readonly author: string;
  /** The id of a picture that was uploaded before the form was refused; '' for none. */
  readonly media: string;
  readonly words: typeof composer;
}

type Upload = { readonly is: 'none' | 'uploading' } | { readonly is: 'uploaded'; readonly media: string } | Refusal;

/** A choice of a picture, which is uploaded at once, and the post as a phone shows it. */
export function Composer({
  path,
  loginPath,
  author,
  media,
  words,
  text,
  headline,
  url,
}: ComposerInput & { text: HTMLTextAreaElement; headline: HTMLInputElement; url: HTMLInputElement }) {
  const typed = useTyped(text);
  const link = { headline: useTyped(headline).value, host: hostOf(useTyped(url).value) };
  const picture = useSignal<string | undefined>(undefined);
  const upload = useSignal<Upload>(media === '' ? { is: 'none' } : { is: 'uploaded', media });
  const field = useRef<HTMLInputElement>(null);
  /** Counts choices: what comes of an earlier one is of no interest. */
  const turn = useRef(0);

  /** The browser does not send the form while it says why not. */
  const set = (next: Upload): void => {
    upload.value = next;
    const reason =
      next.is === 'uploading' ? words.wait : next.is === 'none' || next.is === 'uploaded' ? '' : words.notUploaded;
    field.current!.setCustomValidity(reason);
  };

  const send = async (file: File): Promise<void> => {
    const own = ++turn.current;
    set({ is: 'uploading' });
    const form = new FormData();
    form.set('media', file);
    const reply = await callApi('POST', path, form);
    const next: Upload = reply.status < 300 ? { is: 'uploaded', media: reply.body.media_id_string } : refusalOf(reply);
    if (own === turn.current) set(next);
  };

  const choose = async (file: File | undefined): Promise<void> => {
    if (!file) return remove();
    picture.value = undefined;
    const shown = dataUrlOf(file);
    void send(file);
    const own = turn.current;
    const data = await shown;
    if (own === turn.current) picture.value = data;
  };

  const remove = (): void => {
    turn.current += 1;
    field.current!.value = '';
    picture.value = undefined;
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
          accept="image/jpeg,image/png,image/webp,image/gif"
          aria-describedby={fault === undefined ? 'picture-hint' : 'picture-hint picture-fault'}
          aria-invalid={fault !== undefined}
          onChange={({ currentTarget }) => void choose(currentTarget.files?.[0])}
        />
        {now.is === 'uploaded' && <input type="hidden" name="media" value={now.media} />}
        <p class="soft" role="status">
          {now.is === 'uploading' ? words.uploading : now.is === 'uploaded' ? words.uploaded : ''}
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
          {picture.value !== undefined && <img src={picture.value} alt={filled(words.pictureAlt, { author })} />}
          {(link.headline !== '' || link.host !== '') && (
            <p class="link">
              <strong>{link.headline}</strong> <span class="soft">{link.host}</span>
            </p>
          )}
          <p class="soft">{words.promoted}</p>
        </div>
      </figure>
    </div>
  );
}

/** What stands in a field of the page, as it is typed. */
function useTyped(field: HTMLTextAreaElement | HTMLInputElement): Signal<string> {
  const typed = useSignal(field.value);
  useEffect(() => {
    const show = (): void => {
      typed.value = field.value;
    };
    // What was typed before the script listened.
    show();
    field.addEventListener('input', show);
    return () => field.removeEventListener('input', show);
  }, [field, typed]);
  return typed;
}

/** The host of an address as far as it is typed. */
function hostOf(address: string): string {
  return /^https?:\/\/([^/?#]+)/.exec(address)?.[1] ?? '';
}

/** Why the picture is not uploaded, in words for people. */
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
