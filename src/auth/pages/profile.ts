import { html } from 'ghtml';
import type { Clock } from '../../base/clock.ts';
import { formatInstant } from '../../base/instants.ts';
import type { User } from '../../contract/credentials.ts';
import type { Page, PageAnswer, Visit } from '../../contract/pages.ts';
import { ConstraintViolated, type Store } from '../../contract/store.ts';
import { changeProfile, PROFILE_MAX, wrongBio, wrongLocation, wrongProfileUrl } from '../../platform/profile.ts';
import { wrongName, wrongUserName } from '../../platform/rules.ts';
import { accountDocument, hidden, noticeOf } from './layout.ts';
import { loginFirst } from './session-pages.ts';

const PATH = '/settings/profile';

/** What the page works with. */
export interface ProfileParts {
  readonly store: Store;
  readonly clock: Clock;
}

type Member = 'name' | 'screen_name' | 'description' | 'location' | 'url';
type Draft = Readonly<Record<Member, string>>;
type Faults = Readonly<Partial<Record<Member, string>>>;

interface Box {
  readonly member: Member;
  readonly label: string;
  readonly hint: string;
  /** What a browser already sees to. */
  readonly attributes: string;
  readonly wrong: (text: string) => string | undefined;
}

const BOXES: readonly Box[] = [
  { member: 'name', label: 'Name', hint: '', attributes: `required maxlength="${PROFILE_MAX.name}"`, wrong: wrongName },
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
    attributes: 'rows="3"',
    wrong: wrongBio,
  },
  {
    member: 'location',
    label: 'Location',
    hint: '',
    attributes: `maxlength="${PROFILE_MAX.location}"`,
    wrong: wrongLocation,
  },
  {
    member: 'url',
    label: 'Website',
    hint: '',
    attributes: `type="url" inputmode="url" maxlength="${PROFILE_MAX.url}"`,
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
  const faults = faultsOf(draft);
  if (Object.keys(faults).length > 0) return shown(visit, draft, faults, 400);
  const { url, ...changes } = draft;
  const now = formatInstant(clock.now());
  try {
    await store.write((tx) => changeProfile(tx, visit.user!.id, { ...changes, url: url === '' ? null : url }, now));
  } catch (error) {
    if (!(error instanceof ConstraintViolated)) throw error;
    return shown(visit, draft, { screen_name: 'somebody else has this user name' }, 409);
  }
  const location = `${PATH}?saved=yes`;
  return { status: 303, location, html: accountDocument('Saved', visit, '<h1>Saved</h1>') };
}

function draftOf({ name, screen_name, description, location, url }: User): Draft {
  return { name, screen_name, description, location, url: url ?? '' };
}

/** Browsers end lines of a box with two characters. */
function draftFrom({ given }: Visit): Draft {
  const said = (member: Member): string => (given(member) ?? '').trim().replaceAll('\r\n', '\n');
  return {
    name: said('name'),
    screen_name: said('screen_name'),
    description: said('description'),
    location: said('location'),
    url: said('url'),
  };
}

function faultsOf(draft: Draft): Faults {
  return Object.fromEntries(
    BOXES.flatMap(({ member, wrong }) => {
      const says = wrong(draft[member]);
      return says === undefined ? [] : [[member, says]];
    }),
  );
}

function shown(visit: Visit, draft: Draft, faults: Faults, status: number): PageAnswer {
  const title = 'Your profile';
  const saved = visit.method === 'GET' && visit.given('saved') === 'yes' ? 'Your profile is saved.' : undefined;
  const page = accountDocument(
    title,
    visit,
    html`<h1>${title}</h1>
!${noticeOf(saved)}!${summary(faults)}
<p class="soft">Everybody can see it, and applications can follow how it changes.</p>
<form method="post" action="${PATH}">
!${hidden({ authenticity_token: visit.formToken })}
!${BOXES.map((box) => boxOf(box, draft[box.member], faults[box.member])).join('\n')}
<div class="buttons"><button class="main" type="submit">Save</button></div>
</form>`,
  );
  return { status, html: page, hasForm: true };
}

/** What is wrong, above the form; each leads to its box. */
function summary(faults: Faults): string {
  const items = Object.entries(faults).map(
    ([member, says]) => html`<li><a href="#${member}">${sentence(says)}</a></li>`,
  );
  if (items.length === 0) return '';
  return `<div class="alert" role="alert"><p>Nothing was saved yet:</p><ul>${items.join('')}</ul></div>`;
}

function sentence(says: string): string {
  return `${says[0]!.toUpperCase()}${says.slice(1)}.`;
}

function boxOf({ member, label, hint, attributes }: Box, value: string, says: string | undefined): string {
  const ids = [...(hint === '' ? [] : [`${member}-hint`]), ...(says === undefined ? [] : [`${member}-fault`])];
  const described = ids.length === 0 ? '' : ` aria-describedby="${ids.join(' ')}"`;
  const ties = `${described}${says === undefined ? '' : ' aria-invalid="true"'}`;
  const box =
    member === 'description'
      ? html`<textarea id="${member}" name="${member}" !${attributes}!${ties}>${value}</textarea>`
      : html`<input id="${member}" name="${member}" value="${value}" !${attributes}!${ties}>`;
  return html`<div class="field"><label for="${member}">${label}</label>
!${hint === '' ? '' : html`<p class="hint" id="${member}-hint">${hint}</p>`}!${says === undefined ? '' : html`<p class="fault" id="${member}-fault">${sentence(says)}</p>`}
!${box}</div>`;
}
