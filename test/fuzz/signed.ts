import type { Field } from '../../src/contract/declare/fields.ts';
import type { AnyResource } from '../../src/contract/declare/resource.ts';
import { goodValue } from '../behaviours/samples.ts';
import { HOSTILE_JSON, HOSTILE_MEMBERS, placesIn, textWith } from '../rig/hostile-values.ts';
import { bytesOf, type Call, type Pairs, targetOf } from './call.ts';
import { bent, hostileSegment, hostileText } from './hostile-texts.ts';
import type { SeededRandom } from './seeded-random.ts';
import type { Kind, Setting } from './setting.ts';
import type { Template } from './templates.ts';

const JSON_TEXTS = [...HOSTILE_JSON, ...HOSTILE_MEMBERS].map(([, json]) => json);

/** A call of an operation, good or with up to three things changed, signed with the right keys nearly always. */
export const signedCall: Kind = async (dice, setting, sending) => {
  const template = dice.pick(setting.templates.all);
  const call = template.call();
  settle(dice, setting, template, call);
  const changes = dice.below(4);
  for (let count = 0; count < changes; count++) dice.pick(CHANGES)({ dice, setting, template, call });
  const how = { method: call.method, target: targetOf(call) };
  const got = await sending.send(call.origin, bytesOf(call), how);
  if (typeof got !== 'string' && got.status < 300 && call.method === 'POST') remember(setting, template, got.text);
};

/** What a change looks at, and what it changes. */
interface Changing {
  readonly dice: SeededRandom;
  readonly setting: Setting;
  readonly template: Template;
  readonly call: Call;
}

/** Points a call to something that an earlier case made, so that what all share is not used up. */
function settle(dice: SeededRandom, { recent }: Setting, { operation, resource }: Template, call: Call): void {
  if (!resource || !operation.path.includes(`:${resource.idParameter}`)) return;
  const isRemoving = operation.method === 'DELETE';
  if (!isRemoving && dice.oneIn(2)) return;
  const id = recent.pick(dice, resource.plural) ?? (isRemoving ? 'zz9' : undefined);
  if (id !== undefined) call.path = withParameter(operation.path, call.path, resource.idParameter, id);
}

function withParameter(template: string, path: string, parameter: string, value: string): string {
  const at = template.split('/').indexOf(`:${parameter}`);
  return path
    .split('/')
    .map((segment, index) => (index === at ? encodeURIComponent(value) : segment))
    .join('/');
}

/** Takes note of what a call made. */
function remember({ recent }: Setting, { resource }: Template, text: string): void {
  if (!resource) return;
  for (const [, id] of text.slice(text.indexOf('"data"')).matchAll(/"(?:id|media_key)":"([\w]{1,30})"/g)) {
    recent.note(resource.plural, id!);
  }
}

const pairsOf = (call: Call): Pairs => call.form ?? call.query;

/** A value for a parameter: hostile, or good, or of something that is there. */
function valueFor({ dice, setting, template }: Changing, name: string): string {
  const field: Field | undefined = template.operation.parameters[name];
  if (!field || dice.oneIn(2)) return hostileText(dice);
  const target = field.target?.() as AnyResource | undefined;
  const known = target && setting.recent.pick(dice, target.plural);
  if (known) return known;
  try {
    const good = String(goodValue(template.operation, name));
    return dice.oneIn(2) ? good : bent(dice, good);
  } catch {
    return hostileText(dice);
  }
}

function named({ dice, template, call }: Changing): string {
  const names = Object.keys(template.operation.parameters);
  const sent = pairsOf(call).map(([name]) => name);
  const all = [...names, ...sent];
  return all.length === 0 || dice.oneIn(20) ? hostileText(dice).slice(0, 100) : dice.pick(all);
}

function setPair(call: Call, name: string, value: string): void {
  const pairs = pairsOf(call);
  const at = pairs.findIndex(([each]) => each === name);
  if (at < 0) pairs.push([name, value]);
  else pairs[at] = [name, value];
}

/** Puts something hostile at a place of a body of JSON, that of the template or one made of the parameters. */
function changeJson(changing: Changing): void {
  const { dice, template, call } = changing;
  const whole = template.json ?? Object.fromEntries(pairsOf(call));
  const place = dice.pick(placesIn(whole));
  const json = dice.oneIn(3) ? JSON.stringify(hostileText(dice)) : dice.pick(JSON_TEXTS);
  call.body = textWith(whole, place, json);
  if (call.method === 'GET') call.method = 'POST';
  setHeader(call, 'content-type', 'application/json');
}

function setHeader(call: Call, name: string, value: string): void {
  call.headers = [...call.headers.filter(([each]) => each !== name), [name, value]];
}

const TYPES = [
  ...['application/json', 'application/json; charset=latin1', 'APPLICATION/JSON', 'text/plain', '', 'x'],
  ...[
    'application/x-www-form-urlencoded',
    'application/x-www-form-urlencoded; charset=utf-16',
    'application/octet-stream',
  ],
  ...['multipart/form-data', 'multipart/form-data; boundary=', 'multipart/form-data; boundary=b', 'application/xml'],
];

const HEADERS: readonly (readonly [string, readonly string[]])[] = [
  ['content-type', TYPES],
  ['accept', ['', '*/*', 'text/html', 'application/json;q=0', `${'a/b,'.repeat(500)}`]],
  ['x-request-id', ['', 'x'.repeat(5000), '\u00ff', "'; drop", 'a b', '{}']],
  ['x-forwarded-for', ['127.0.0.1', '::1', 'unknown', 'x'.repeat(1000), '10.0.0.1, 127.0.0.1']],
  ['x-forwarded-proto', ['https', 'http,https', 'javascript']],
  ['x-forwarded-host', ['example.com', 'a:b@c', '']],
  ['x-http-method-override', ['DELETE']],
  ['host', ['localhost', 'example.com', '', '[::1', '127.0.0.1:99999', 'a b', 'localhost:0x1']],
  ['cookie', ['session=x', `${'a=b; '.repeat(900)}`, '=;=;', 'session=\u00ff']],
  ['if-none-match', ['*', '"x"']],
  ['range', ['bytes=0-', 'bytes=-1', 'bytes=9-1,0-0']],
  ['expect', ['100-continue', '200-ok']],
  ['accept-encoding', ['gzip', 'br;q=x', 'identity;q=0']],
  ['content-encoding', ['gzip', 'deflate', 'x']],
  ['origin', ['null', 'https://evil.example']],
  ['upgrade', ['websocket', 'h2c']],
  ['te', ['trailers']],
  ['date', ['x']],
];

/** What may be changed about a call; some stand here twice, because they lead deeper. */
const CHANGES: readonly ((changing: Changing) => void)[] = [
  changeParameter,
  changeParameter,
  changeParameter,
  changeParameter,
  changeJson,
  changeJson,
  (changing) => {
    const pairs = pairsOf(changing.call);
    if (pairs.length > 0) pairs.splice(changing.dice.below(pairs.length), 1);
  },
  (changing) => {
    const name = named(changing);
    const { dice, call } = changing;
    const times = dice.oneIn(10) ? 300 : 1;
    for (let count = 0; count < times; count++) pairsOf(call).push([name, hostileText(dice).slice(0, 50)]);
  },
  ({ dice, call }) => {
    const segments = call.path.split('/');
    segments[1 + dice.below(segments.length - 1)] = hostileSegment(dice);
    call.path = segments.join('/').replace(/[\s\u007f-\uffff]/g, '_');
  },
  ({ dice, call }) => {
    const [name, values] = dice.pick(HEADERS);
    setHeader(call, name, dice.pick(values));
  },
  ({ dice, call }) => {
    call.method = dice.pick(['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']);
  },
  ({ dice, call }) => {
    const before = Buffer.from((call.body ?? '[{"a":1}]') as string);
    const bytes = Buffer.from(before);
    if (dice.oneIn(2)) bytes[dice.below(Math.max(1, bytes.length))] = dice.below(256);
    call.body = dice.oneIn(2) ? bytes : bytes.subarray(0, dice.below(bytes.length + 1));
  },
  ({ dice, setting, call }) => {
    if (dice.oneIn(3)) setHeader(call, 'authorization', wrongCredential(dice, setting));
    else if (call.keys && dice.oneIn(2)) call.keys = { ...call.keys, access_token_secret: 'wrong' };
    else call.keys = undefined;
  },
];

function changeParameter(changing: Changing): void {
  const { call, dice } = changing;
  const name = named(changing);
  const [, before] = pairsOf(call).find(([each]) => each === name) ?? [];
  setPair(call, name, before !== undefined && dice.oneIn(3) ? bent(dice, before) : valueFor(changing, name));
}

function wrongCredential(dice: SeededRandom, { templates }: Setting): string {
  const { consumer_key: key, access_token: token } = templates.keys;
  return dice.pick([
    ...['', 'OAuth', 'OAuth ', 'OAuth x', 'OAuth oauth_version="2.0"', 'Basic', 'Basic OnAAAA==', 'Bearer', 'Bearer x'],
    `OAuth oauth_consumer_key="${key}",oauth_token="${token}",oauth_nonce="a",oauth_signature="b"`,
    `OAuth ${'a="b",'.repeat(1000)}`,
    `OAuth realm="%ff",oauth_consumer_key="%00",oauth_nonce="\u00ff"`,
    `Basic ${dice.bytes(40).toString('base64')}`,
    `Bearer ${dice.bytes(60).toString('base64')}`,
  ]);
}
