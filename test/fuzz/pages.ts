import { addApplication, addPerson, addRequestToken, type Browser, browserOf, formOf, logIn } from '../rig/browser.ts';
import type { World } from '../rig/world.ts';
import { bytesOf, type Call, type Pairs, targetOf } from './call.ts';
import { bent, hostileSegment, hostileText } from './hostile-texts.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Kind } from './setting.ts';

/** What cases of pages build on: forms as a browser got them, and its cookies. */
export interface PagesGround {
  readonly forms: readonly PageForm[];
  readonly paths: readonly string[];
}

/** A form of a page, as it would be sent. */
interface PageForm {
  readonly action: string;
  readonly members: Readonly<Record<string, string>>;
  readonly cookie: string;
}

/** What a listener has beside the pages of the service. */
const OTHERS = [
  ...[
    '/',
    '/docs/',
    '/docs/search?q=campaigns',
    '/docs/reference/campaigns',
    '/docs/reference/campaigns.get',
    '/reference/campaigns.get',
    '/openapi.json',
    '/pages/style.css',
  ],
  ...['/docs/activity', '/2/problems/invalid-request', '/media/x'],
];

/** Forms after which a session may be over: they are sent in a session of their own. */
const ENDING = /logout|sessions|password/;

/** Logs somebody in and looks at every page of theirs that has a form. */
export async function openPages(world: World): Promise<PagesGround> {
  const origin = world.service.url;
  const browser = browserOf(origin);
  const person = await addPerson(world);
  const stranger = browserOf(origin);
  const forms: PageForm[] = [...(await formsOf(stranger, '/login'))];
  await logIn(browser, person);
  const application = await addApplication(world, { owner_user_id: person.id });
  const token = await addRequestToken(world, application);
  const templates = world.service.pages.map(({ path }) => path);
  const paths = [
    ...OTHERS,
    ...templates.map((path) => path.replace(':id', application.id)),
    ...['authorize', 'authenticate'].map((each) => `/oauth/${each}?oauth_token=${token}`),
  ];
  for (const path of paths) forms.push(...(await formsOf(browser, path)));
  const lasting = forms.filter(({ action }) => !ENDING.test(action));
  const ending = browserOf(origin);
  await logIn(ending, await addPerson(world));
  for (const path of templates.filter((each) => !each.includes(':')))
    lasting.push(...(await formsOf(ending, path)).filter(({ action }) => ENDING.test(action)));
  return { forms: lasting, paths };
}

async function formsOf(browser: Browser, path: string): Promise<PageForm[]> {
  const { html } = await browser.get(path);
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const pieces = html.match(/<form[^>]*>.*?<\/form>/gs) ?? [];
  return pieces.map((piece) => ({ ...formOf(piece), cookie }));
}

/** A visit of a page with something wrong in its path or query, or a form with something wrong in its members. */
export const pageVisit: Kind = async (dice, { world, pages }, sending) => {
  const call: Call = {
    origin: dice.oneIn(5) ? world.service.sandboxUrl : world.service.url,
    method: 'GET',
    path: '/',
    query: [],
    form: undefined,
    body: undefined,
    headers: [['accept', 'text/html']],
    keys: undefined,
  };
  const form = dice.pick(pages.forms);
  if (!dice.oneIn(10))
    call.headers.push(['cookie', dice.oneIn(15) ? bent(dice, form.cookie).replace(/[^ -~]/g, '_') : form.cookie]);
  if (dice.oneIn(3)) visit(dice, call, dice.pick(pages.paths));
  else fill(dice, call, form);
  if (dice.oneIn(12)) call.method = dice.pick(['HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'POST', 'GET']);
  if (dice.oneIn(10)) call.headers.push(['origin', dice.pick(['null', 'https://evil.example', '', world.service.url])]);
  const how = { method: call.method, target: targetOf(call), isPage: true };
  await sending.send(call.origin, bytesOf(call), how);
};

function visit(dice: SeededRandom, call: Call, path: string): void {
  const [own = '/', query = ''] = path.split('?', 2);
  call.path = own;
  call.query = [...new URLSearchParams(query)];
  if (dice.oneIn(3)) {
    const segments = own.split('/');
    segments[1 + dice.below(segments.length - 1)] = hostileSegment(dice);
    call.path = segments.join('/').replace(/[\s\u007f-\uffff]/g, '_');
  }
  const names = ['oauth_token', 'force_login', 'screen_name', 'continue', 'data', 'page', 'state', 'x'];
  for (let count = dice.below(3); count > 0; count--) call.query.push([dice.pick(names), hostileText(dice)]);
}

function fill(dice: SeededRandom, call: Call, form: PageForm): void {
  const [path = '/', query = ''] = form.action.split('?', 2);
  call.method = 'POST';
  call.path = path;
  call.query = [...new URLSearchParams(query)];
  const members: Pairs = Object.entries(form.members);
  // A password costs more to check than anything else does.
  const isLogin = members.some(([name]) => /password/.test(name));
  for (let count = dice.below(4); count > 0 && members.length > 0; count--) {
    const at = dice.below(members.length);
    const [name, value] = members[at]!;
    const isGuarded = isLogin && /password/.test(name) && !dice.oneIn(30);
    members[at] = [name, isGuarded ? '' : dice.oneIn(3) ? bent(dice, value) : hostileText(dice)];
  }
  if (dice.oneIn(8) && members.length > 0) members.splice(dice.below(members.length), 1);
  if (dice.oneIn(8)) members.push([hostileText(dice).slice(0, 40), hostileText(dice)]);
  call.form = members;
  if (dice.oneIn(15)) call.body = Buffer.concat([Buffer.from('a=%ff&b=%'), dice.bytes(dice.below(500))]);
  if (dice.oneIn(40)) call.body = Buffer.alloc(200_000, 0x61);
}
