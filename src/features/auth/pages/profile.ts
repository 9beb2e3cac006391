import { html } from 'ghtml';
import type { Clock } from '../../../base/clock.ts';
import { formatInstant } from '../../../base/instants.ts';
import type { Page, PageAnswer, Visit } from '../../../contract/declare/pages.ts';
import type { User } from '../../../contract/store/credentials.ts';
import { ConstraintViolated, type Store } from '../../../contract/store/store.ts';
import { changeProfile, PROFILE_MAX, wrongBio, wrongLocation, wrongProfileUrl } from '../../platform/profile.ts';
import { wrongName, wrongUserName } from '../../platform/rules.ts';
import { type Field, type FieldFaults, faultSummary, fieldOf } from './fields.ts';
import { accountDocument, hidden, noticeOf, settingsDocument } from './layout.ts';
import { loginFirst } from './session-pages.ts';

const PATH = '/settings/profile';

/** What the page works with. */
export interface ProfileParts {
  readonly store: Store;
  readonly clock: Clock;
}

type Member = 'name' | 'screen_name' | 'description' | 'location' | 'url';
type Draft = Readonly<Record<Member, string>>;

interface Box extends Field {
  readonly member: Member;
  readonly wrong: (text: string) => string | undefined;
}

const BOXES: readonly Box[] = [
  { member: 'name', label: 'Name', attributes: `required maxlength="${PROFILE_MAX.name}"`, wrong: wrongName },
  {
    member: 'screen_name',
    label: 'User name',
    hint: 'You log in with it, and others mention you by it: letters, digits and underscores.',
    attributes:
      'required maxlength="15" pattern="\\w{1,15}" autocapitalize="none" autocorrect="off" spellcheck="false"',
    wrong: wrongUserName,
  },
  {
    member: 'description',
    label: 'About you',
    hint: `Up to ${PROFILE_MAX.description} characters.`,
    type: 'textarea',
    attributes: 'rows="3"',
    wrong: wrongBio,
  },
  {
    member: 'location',
    label: 'Location',
    attributes: `maxlength="${PROFILE_MAX.location}"`,
    wrong: wrongLocation,
  },
  {
    member: 'url',
    label: 'Website',
    attributes: `inputmode="url" maxlength="${PROFILE_MAX.url}"`,
    wrong: wrongProfileUrl,
  },
];

/** `/settings/profile`: what a user says of themselves. What changes is told to those who follow it. @source activity gaps 16.8 */
export function profilePage(parts: ProfileParts): Page {
  return {
    path: PATH,
    methods: ['GET', 'POST'],
    async answer(visit) {
      if (!visit.user) return loginFirst(PATH);
      if (visit.method === 'POST') return save(parts, visit);
      return shown(visit, draftOf(visit.user), {}, 200);
    },
  };
}

async function save({ store, clock }: ProfileParts, visit: Visit): Promise<PageAnswer> {
  const draft = draftFrom(visit);
  const errors = faultsOf(draft);
  if (Object.keys(errors).length > 0) return shown(visit, draft, errors, 400);
  const { url, ...changes } = draft;
  const now = formatInstant(clock.now());
  const event = { event: 'profile_changed', user_id: visit.user!.id } as const;
  try {
    await store.write(async (tx) => {
      await changeProfile(tx, visit.user!.id, { ...changes, url: url === '' ? null : url }, now);
      await visit.record(tx, event);
    });
  } catch (error) {
    if (!(error instanceof ConstraintViolated)) throw error;
    return shown(visit, draft, { screen_name: 'somebody else has this user name' }, 409);
  }
  const location = `${PATH}?saved=yes`;
  const html = accountDocument('Saved', visit, '<h1>Saved</h1>');
  return { status: 303, location, html, noted: [event] };
}

function draftOf({ name, screen_name, description, location, url }: User): Draft {
  return { name, screen_name, description, location, url: url ?? '' };
}

/** Browsers end lines of a box with two characters. */
function draftFrom({ parameter }: Visit): Draft {
  const said = (member: Member): string => (parameter(member) ?? '').trim().replaceAll('\r\n', '\n');
  return {
    name: said('name'),
    screen_name: said('screen_name'),
    description: said('description'),
    location: said('location'),
    url: said('url'),
  };
}

function faultsOf(draft: Draft): FieldFaults {
  return Object.fromEntries(
    BOXES.flatMap(({ member, wrong }) => {
      const says = wrong(draft[member]);
      return says === undefined ? [] : [[member, says]];
    }),
  );
}

function shown(visit: Visit, draft: Draft, errors: FieldFaults, status: number): PageAnswer {
  const title = 'Your profile';
  const saved = visit.method === 'GET' && visit.parameter('saved') === 'yes' ? 'Your profile is saved.' : undefined;
  const page = settingsDocument(
    title,
    visit,
    PATH,
    html`<h1>${title}</h1>
!${noticeOf(saved)}!${faultSummary('Nothing has been saved:', errors)}
<p class="soft">Everybody can see it, and applications can follow how it changes.</p>
<form method="post" action="${PATH}">
!${hidden({ authenticity_token: visit.formToken })}
!${BOXES.map((box) => fieldOf(box, draft[box.member], errors[box.member])).join('\n')}
<div class="buttons"><button class="main" type="submit">Save</button></div>
</form>`,
  );
  return { status, html: page, hasForm: true };
}
