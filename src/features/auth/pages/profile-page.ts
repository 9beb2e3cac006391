import type { Clock } from '../../../base/clock.ts';
import { html, joinHtml } from '../../../base/html.ts';
import { formatInstant } from '../../../base/instants.ts';
import type { Page, PageRequest, PageResponse } from '../../../contract/declare/pages.ts';
import type { User } from '../../../contract/store/credentials.ts';
import { ConstraintViolated, type Store } from '../../../contract/store/store.ts';
import { hiddenFields, noticeBox } from '../../../markup/boxes.ts';
import { errorSummary, type FieldErrors, type FormField, formField } from '../../../markup/form-fields.ts';
import { texts } from '../../../texts/texts.ts';
import {
  changeProfile,
  descriptionError,
  locationError,
  PROFILE_MAX,
  profileUrlError,
} from '../../platform/profile.ts';
import { displayNameError, userNameError } from '../../platform/user-rules.ts';
import { donePage, settingsPage } from './layout.ts';
import { redirectToLogin } from './login-pages.ts';

const words = texts.settings.profile;

const PATH = '/settings/profile';

/** The dependencies of the page. */
export interface ProfileDeps {
  readonly store: Store;
  readonly clock: Clock;
}

type Member = 'name' | 'screen_name' | 'description' | 'location' | 'url';
type Draft = Readonly<Record<Member, string>>;

interface Box extends FormField {
  readonly member: Member;
  readonly wrong: (text: string) => string | undefined;
}

const BOXES: readonly Box[] = [
  {
    member: 'name',
    label: words.fields.name,
    attributes: html`required maxlength="${PROFILE_MAX.name}"`,
    wrong: displayNameError,
  },
  {
    member: 'screen_name',
    label: words.fields.screen_name,
    hint: words.userNameHint,
    attributes: html`required maxlength="15" pattern="\\w{1,15}" autocapitalize="none" autocorrect="off" spellcheck="false"`,
    wrong: userNameError,
  },
  {
    member: 'description',
    label: words.fields.description,
    hint: words.descriptionHint(PROFILE_MAX.description),
    type: 'textarea',
    attributes: html`rows="3"`,
    wrong: descriptionError,
  },
  {
    member: 'location',
    label: words.fields.location,
    attributes: html`maxlength="${PROFILE_MAX.location}"`,
    wrong: locationError,
  },
  {
    member: 'url',
    label: words.fields.url,
    attributes: html`inputmode="url" maxlength="${PROFILE_MAX.url}"`,
    wrong: profileUrlError,
  },
];

/**
 * `/settings/profile`: edits the profile of a user. Webhooks and streams deliver changes.
 * @source activity gaps 16.8
 */
export function profilePage(deps: ProfileDeps): Page {
  return {
    path: PATH,
    methods: ['GET', 'POST'],
    mayFollowLogin: true,
    async answer(request) {
      if (!request.user) return redirectToLogin(PATH);
      if (request.method === 'POST') return save(deps, request);
      return renderPage(request, draftOf(request.user), {}, 200);
    },
  };
}

async function save({ store, clock }: ProfileDeps, request: PageRequest): Promise<PageResponse> {
  const draft = draftFrom(request);
  const errors = faultsOf(draft);
  if (Object.keys(errors).length > 0) return renderPage(request, draft, errors, 400);
  const { url, ...changes } = draft;
  const now = formatInstant(clock.now());
  const event = { event: 'profile_changed', user_id: request.user!.id } as const;
  let isRenamed: boolean;
  try {
    isRenamed = await store.write(async (tx) => {
      const changed = await changeProfile(tx, request.user!.id, { ...changes, url: url === '' ? null : url }, now);
      if (changed?.isRenamed) await request.record(tx, event);
      return changed?.isRenamed === true;
    });
  } catch (error) {
    if (!(error instanceof ConstraintViolated)) throw error;
    return renderPage(request, draft, { screen_name: words.taken }, 409);
  }
  const location = `${PATH}?saved=yes`;
  return { status: 303, location, html: donePage(request), ...(isRenamed && { audited: [event] }) };
}

function draftOf({ name, screen_name, description, location, url }: User): Draft {
  return { name, screen_name, description, location, url: url ?? '' };
}

/** Reads the form. Browsers send line breaks as CRLF. */
function draftFrom({ parameter }: PageRequest): Draft {
  const textOf = (member: Member): string => (parameter(member) ?? '').trim().replaceAll('\r\n', '\n');
  return {
    name: textOf('name'),
    screen_name: textOf('screen_name'),
    description: textOf('description'),
    location: textOf('location'),
    url: textOf('url'),
  };
}

function faultsOf(draft: Draft): FieldErrors {
  return Object.fromEntries(
    BOXES.flatMap(({ member, wrong }) => {
      const message = wrong(draft[member]);
      return message === undefined ? [] : [[member, message]];
    }),
  );
}

function renderPage(request: PageRequest, draft: Draft, errors: FieldErrors, status: number): PageResponse {
  const { title } = words;
  const saved = request.method === 'GET' && request.parameter('saved') === 'yes' ? words.saved : undefined;
  const page = settingsPage(
    title,
    request,
    PATH,
    html`<h1>${title}</h1>
${noticeBox(saved)}${errorSummary(words.wrong, errors)}
<p class="soft">${words.about}</p>
<form method="post" action="${PATH}">
${hiddenFields(request.formFields)}
${joinHtml(
  BOXES.map((box) => formField(box, draft[box.member], errors[box.member])),
  '\n',
)}
<div class="buttons"><button class="main" type="submit">${texts.settings.save}</button></div>
</form>`,
  );
  return { status, html: page, hasForm: true };
}
