import { html, joinHtml } from '../../../base/html.ts';
import { formatInstant } from '../../../base/instants.ts';
import type { Page, PageRequest, PageResponse, UserRequest } from '../../../contract/declare/pages.ts';
import type { User } from '../../../contract/store/credentials.ts';
import { ConstraintViolated } from '../../../contract/store/errors.ts';
import { hiddenFields } from '../../../markup/boxes.ts';
import { errorSummary, type FieldErrors, type FormField, formField } from '../../../markup/form-fields.ts';
import { texts } from '../../../texts/texts.ts';
import {
  changeProfile,
  descriptionError,
  displayNameError,
  locationError,
  PROFILE_MAX,
  profileUrlError,
  userNameError,
} from '../../platform/profile.ts';
import { noticeAfter, redirect, settingsPage, userPage } from './layout.ts';
import type { PagesDeps } from './pages-deps.ts';

const words = texts.settings.profile;

const PATH = '/settings/profile';

type Member = 'name' | 'screen_name' | 'description' | 'location' | 'url';
type Draft = Readonly<Record<Member, string>>;

interface ProfileField extends FormField {
  readonly member: Member;
  /** The error of a value; undefined when it is valid. */
  readonly errorOf: (text: string) => string | undefined;
}

const fields = (): readonly ProfileField[] => [
  {
    member: 'name',
    label: words.fields.name,
    attributes: html`required maxlength="${PROFILE_MAX.name}"`,
    errorOf: displayNameError,
  },
  {
    member: 'screen_name',
    label: words.fields.screen_name,
    hint: words.userNameHint,
    attributes: html`required maxlength="15" pattern="\\w{1,15}" autocapitalize="none" autocorrect="off" spellcheck="false"`,
    errorOf: userNameError,
  },
  {
    member: 'description',
    label: words.fields.description,
    hint: words.descriptionHint(PROFILE_MAX.description),
    type: 'textarea',
    attributes: html`rows="3"`,
    errorOf: descriptionError,
  },
  {
    member: 'location',
    label: words.fields.location,
    attributes: html`maxlength="${PROFILE_MAX.location}"`,
    errorOf: locationError,
  },
  {
    member: 'url',
    label: words.fields.url,
    attributes: html`inputmode="url" maxlength="${PROFILE_MAX.url}"`,
    errorOf: profileUrlError,
  },
];

/**
 * `/settings/profile`: edits the profile of a user. Webhooks and streams deliver changes.
 * @source activity 16.8
 */
export function profilePage(deps: PagesDeps): Page {
  return userPage(deps, PATH, (_, request) => render(request, draftOf(request.user), {}, 200), save);
}

async function save({ store, clock }: PagesDeps, request: UserRequest): Promise<PageResponse> {
  const { user } = request;
  const draft = draftFrom(request);
  const errors = errorsOf(draft);
  if (Object.keys(errors).length > 0) return render(request, draft, errors, 400);
  const event = { event: 'profile_changed', user_id: user.id } as const;
  try {
    const isRenamed = await store.write(async (tx) => {
      const changes = { ...draft, url: draft.url === '' ? null : draft.url };
      const changed = await changeProfile(tx, user.id, changes, formatInstant(clock.now()));
      if (changed?.isRenamed) await request.record(tx, event);
      return changed?.isRenamed;
    });
    return redirect(request, `${PATH}?saved=yes`, isRenamed ? [event] : []);
  } catch (error) {
    if (!(error instanceof ConstraintViolated)) throw error;
    return render(request, draft, { screen_name: words.taken }, 409);
  }
}

function draftOf({ name, screen_name, description, location, url }: User): Draft {
  return { name, screen_name, description, location, url: url ?? '' };
}

/** Reads the form. Browsers send line breaks as CRLF. */
function draftFrom({ parameter }: PageRequest): Draft {
  return Object.fromEntries(
    fields().map(({ member }) => [member, (parameter(member) ?? '').trim().replaceAll('\r\n', '\n')]),
  ) as Draft;
}

function errorsOf(draft: Draft): FieldErrors {
  return Object.fromEntries(
    fields().flatMap(({ member, errorOf }) => {
      const message = errorOf(draft[member]);
      return message === undefined ? [] : [[member, message]];
    }),
  );
}

function render(request: UserRequest, draft: Draft, errors: FieldErrors, status: number): PageResponse {
  const inputs = fields().map((field) => formField(field, draft[field.member], errors[field.member]));
  const content = html`${noticeAfter(request, 'saved', words.saved)}${errorSummary(words.wrong, errors)}
<p class="soft">${words.about}</p>
<form method="post" action="${PATH}">
${hiddenFields(request.formFields)}
${joinHtml(inputs, '\n')}
<div class="buttons"><button class="main" type="submit">${texts.settings.save}</button></div>
</form>`;
  return settingsPage(words.title, request, PATH, content, status);
}
