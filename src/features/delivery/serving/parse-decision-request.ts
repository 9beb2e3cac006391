import { isObject } from '../../../base/objects.ts';
import { boolean, digits, field, integer, itemsOf, listOf, oneOf, text } from '../../../contract/declare/fields.ts';
import { readMembers } from '../../../contract/declare/members.ts';
import type { Input, Parameters } from '../../../contract/declare/operation.ts';
import { type ErrorDetail, Problem } from '../../../contract/problems/problems.ts';
import type { DecisionRequest, RequestedPlacement, ViewContext } from '../../../contract/services/serving.ts';
import { PERSON_WORDS } from '../../../contract/store/directory.ts';
import { PLACEMENTS } from '../../ads/line-items/placements.ts';

/** Maximum number of placements of a request, and of ads of a placement. */
const PLACEMENTS_MAX = 20;
const ADS_MAX = 10;
const LIST_MAX = 100;

/** The placements of pages; line items for `ALL_ON_SERVICE` fit those of the service. */
const PAGE_PLACEMENTS = PLACEMENTS.filter((name) => name !== 'ALL_ON_SERVICE');

/** ISO 3166-1 alpha-2, in either case. */
const countryCode = field<string>({
  ...text({ max: 2 }).kind,
  problems: [...text({ max: 2 }).kind.problems, 'COUNTRY_CODE_INVALID'],
  read(raw, parameter) {
    if (typeof raw === 'string' && /^[A-Za-z]{2}$/.test(raw)) return raw.toUpperCase();
    return { problem: 'COUNTRY_CODE_INVALID', parameter };
  },
});

const PLACEMENT = {
  id: text({ max: 64 }).required().describe('Your own name of the placement, which the reply repeats.'),
  type: oneOf(...PAGE_PLACEMENTS)
    .required()
    .describe('What it is, in the words of line items.'),
  count: integer({ min: 1, max: ADS_MAX }).describe('How many ads at most; default: 1.'),
};

const USER = {
  id: digits({ max: 19 }).describe(
    'A user of the platform: targeting uses what the directory knows of them. Only for publishers that the operator registered.',
  ),
  key: text({ max: 128 }).describe(
    'Your own name of the person, for frequency caps; nobody else can relate it to anything.',
  ),
};

const word = () => text({ max: 64 });
const CONTEXT = {
  country: countryCode.describe('Country (ISO 3166-1 alpha-2).'),
  region: word().describe('Targeting value of the region.'),
  metro: word().describe('Targeting value of the metro area.'),
  city: word().describe('Targeting value of the city.'),
  postal_code: word().describe('Targeting value of the postal code.'),
  language: word().describe('Targeting value of the language.'),
  gender: oneOf('1', '2').describe('Targeting value of the gender.'),
  platform: word().describe('Targeting value of the platform.'),
  platform_version: word().describe('Targeting value of the platform version.'),
  device: word().describe('Targeting value of the device.'),
  age: integer({ min: 0, max: 150 }).describe('Age in years.'),
  interests: listOf(word(), { min: 0, max: LIST_MAX }).describe('Targeting values of interests.'),
  keywords: listOf(text({ max: 100 }), { min: 0, max: LIST_MAX }).describe('What the page is about.'),
};

const EXPLAIN = boolean().describe(
  'Says for each line item why it was shown or not: in development, or for publishers that may ask.',
);

/** All members of a request by path, for the API description. */
export const REQUEST_MEMBERS: Parameters = {
  ...prefixed('placements[].', PLACEMENT),
  ...prefixed('user.', USER),
  ...prefixed('context.', CONTEXT),
  explain: EXPLAIN,
};

/** The members of each object of a request, for the schema. */
export const REQUEST_OBJECTS = { placement: PLACEMENT, user: USER, context: CONTEXT, explain: EXPLAIN };

function prefixed(path: string, members: Parameters): Parameters {
  return Object.fromEntries(Object.entries(members).map(([name, each]) => [path + name, each]));
}

/** Parses a request for ads. @throws Problem with the errors of all members */
export function parseDecisionRequest(body: unknown): DecisionRequest {
  const errors: ErrorDetail[] = [];
  const read = (value: unknown, declared: Parameters, path: string): Input => {
    const found = readMembers(value, declared, path);
    errors.push(...found.errors);
    return found.input;
  };
  if (!isObject(body)) throw new Problem([{ problem: 'MEMBER_NO_OBJECT', words: { path: '$' } }]);
  const { placements: list, user, context, ...rest } = body;
  const { explain } = read(rest, { explain: EXPLAIN }, '');
  const placements = placementsIn(list, read, errors);
  const person = user == null ? undefined : read(user, USER, 'user.');
  if (person && isObject(user) && (person.id == null) === (person.key == null)) {
    errors.push({ problem: 'USER_NOT_ONE', parameter: 'user' });
  }
  const view = contextOf(context == null ? {} : read(context, CONTEXT, 'context.'));
  if (errors.length > 0) throw new Problem(errors.map(withKnownMembers));
  const { id, key } = person ?? {};
  const named = id != null ? { id: String(id) } : key != null ? { key: String(key) } : undefined;
  return { placements, user: named, context: view, explain: explain === 1 };
}

function placementsIn(
  list: unknown,
  read: (value: unknown, declared: Parameters, path: string) => Input,
  errors: ErrorDetail[],
): RequestedPlacement[] {
  const parameter = 'placements';
  if (list == null) errors.push({ problem: 'MEMBER_MISSING', parameter });
  else if (!Array.isArray(list)) errors.push({ problem: 'MEMBER_NO_LIST', parameter });
  else if (list.length === 0) errors.push({ problem: 'TOO_FEW_ITEMS', parameter });
  else if (list.length > PLACEMENTS_MAX) {
    errors.push({ problem: 'TOO_MANY_ITEMS', parameter, words: { max: PLACEMENTS_MAX } });
  } else {
    return list.map((item, place) => {
      const { id, type, count } = read(item, PLACEMENT, `placements[${place}].`);
      return { id: String(id), type: String(type), count: Number(count ?? 1) };
    });
  }
  return [];
}

/** Context members that are attributes of people. `country` is ISO 3166-1 alpha-2, all others are targeting values. */
const CONTEXT_WORDS = PERSON_WORDS.slice(0, PERSON_WORDS.indexOf('network_operator'));

function contextOf(input: Input): ViewContext {
  const words = Object.fromEntries(
    CONTEXT_WORDS.flatMap((name) => (input[name] == null ? [] : [[name, String(input[name])]])),
  );
  const list = (name: string): string[] => (input[name] == null ? [] : itemsOf(String(input[name])));
  return {
    words,
    age: input.age == null ? null : Number(input.age),
    interests: list('interests'),
    keywords: list('keywords'),
  };
}

/** Adds the top-level members that are not fields to the known ones of an error. */
function withKnownMembers(error: ErrorDetail): ErrorDetail {
  const isTop = error.problem === 'MEMBER_UNKNOWN' && !error.parameter!.includes('.');
  return isTop ? { ...error, words: { ...error.words, known: 'placements, user, context, explain' } } : error;
}
