// On either database: both are asked the same, and what they store is held against each other elsewhere.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { operations } from '../../src/app/dependencies.ts';
import { declaredProblems, UNROUTED } from '../../src/engine/declared-problems.ts';
import { LONGEST_WINDOW_S } from '../rig/rate-windows.ts';
import { access } from './problems/access.ts';
import { analyticsProblems } from './problems/analytics.ts';
import { audience, audienceProblems } from './problems/audiences.ts';
import { batches, items } from './problems/batches.ts';
import { beforeAll } from './problems/calls.ts';
import { cardProblems } from './problems/cards.ts';
import { conversionProblems } from './problems/conversions.ts';
import { keywordProblems } from './problems/keywords.ts';
import { lineItemProblems } from './problems/line-items.ts';
import { mediaProblems } from './problems/media.ts';
import { messageProblems } from './problems/messages.ts';
import { parameters } from './problems/parameters.ts';
import { postProblems } from './problems/posts.ts';
import { rules, UNIT } from './problems/rules.ts';
import {
  ACTIVE_MAX,
  batch,
  type Case,
  campaign,
  create,
  home,
  instrument,
  invalid,
  own,
  type Params,
  useWorld,
  world,
} from './problems/setting.ts';
import { spendProblems } from './problems/spend.ts';
import { targetingProblems } from './problems/targeting.ts';
import { tokens } from './problems/tokens.ts';
import { sampleOf } from './test-account.ts';

useWorld();

for (const family of ['ads', 'numeric'] as const) {
  describe(`a call is refused before it is parsed: ${family}`, () => {
    for (const one of beforeAll(family)) check(one);
  });
}
/** What is said in one text there, or was brought about with the window of another call. */
const SAID_ELSEWHERE = new Set(['NOT_JSON', 'RATE_LIMITED', 'ROUTE_UNKNOWN', 'METHOD_UNKNOWN']);
describe('an upload is refused before it is parsed', () => {
  for (const one of beforeAll('flat')) if (!SAID_ELSEWHERE.has(one.name)) check(one);
});
describe('access is refused', () => {
  for (const one of access) check(one);
});
describe('logins, application-only tokens and users are refused', () => {
  for (const one of tokens) check(one);
});

describe('profiles and messages are refused', () => {
  for (const one of messageProblems) check(one);
});
describe('parameters are refused', () => {
  for (const one of parameters) check(one);
});
describe('targeting and other children of line items are refused', () => {
  for (const one of targetingProblems) check(one);
});
describe('posts are refused', () => {
  for (const one of postProblems) check(one);
});
describe('budgets are refused', () => {
  for (const one of spendProblems) check(one);
});
describe('line items are refused', () => {
  for (const one of lineItemProblems) check(one);
});
describe('media is refused', () => {
  for (const one of mediaProblems) check(one);
});
describe('cards are refused', () => {
  for (const one of cardProblems) check(one);
});
describe('audiences are refused', () => {
  for (const one of audienceProblems) check(one);
});
describe('conversions are refused', () => {
  for (const one of conversionProblems) check(one);
});
describe('statistics are refused', () => {
  for (const one of analyticsProblems) check(one);
});

describe('keyword insights are refused', () => {
  for (const one of keywordProblems) check(one);
});
describe('a batch is refused as a whole', () => {
  for (const one of batches) check(one);
});

function check({ name, input, send, status, errors }: Case): void {
  test(`${name}: ${input}`, async () => {
    const reply = await send();
    assert.equal(reply.status, status, reply.text);
    assert.deepEqual(reply.body.errors, typeof errors === 'function' ? errors() : errors);
  });
}

describe('rules of campaigns are broken', () => {
  for (const { name, input, status, params, onlyOn, paidBy, full, error } of rules) {
    test(`${name}: ${input}`, async () => {
      const payer = (await paidBy?.()) ?? home.instrument;
      const active = full ? await fillUp() : [];
      const refused = await create({ ...params, funding_instrument_id: payer });
      assert.equal(refused.status, status, refused.text);
      assert.deepEqual(refused.body.errors, [error(payer)]);

      const item = await batch([
        { operation_type: 'Create', params: campaign({}) },
        { operation_type: 'Create', params: campaign({ ...params, funding_instrument_id: payer }) },
      ]);
      assert.equal(item.status, 400, item.text);
      assert.deepEqual(item.body.operation_errors, [[], [error(payer)]]);

      if (!onlyOn) {
        const made = await create({ funding_instrument_id: payer });
        assert.equal(made.status, 200, made.text);
        const changed = await own('PUT', `/campaigns/${made.body.data.id}`, params);
        assert.equal(changed.status, status, changed.text);
        assert.deepEqual(changed.body.errors, [error(payer)]);
      }
      for (const id of active) await own('DELETE', `/campaigns/${id}`);
    });
  }

  test('INVALID: a campaign that goes back to being a draft', async () => {
    const made = await create({});
    const refused = await own('PUT', `/campaigns/${made.body.data.id}`, { entity_status: 'DRAFT' });
    assert.equal(refused.status, 400, refused.text);
    assert.deepEqual(refused.body.errors, [
      { code: 'INVALID', message: 'A campaign cannot become a draft again', attribute: 'entity_status' },
    ]);
  });

  test('errors of several rules are reported together; the first decides the status', async () => {
    const payer = await instrument({ type: 'CREDIT_LINE', credit_limit_local_micro: 10_000_000 });
    const refused = await create({ total_budget_amount_local_micro: 20_000_001, funding_instrument_id: payer });
    assert.equal(refused.status, 403, refused.text);
    const codes = refused.body.errors.map((each: { code: string }) => each.code);
    assert.deepEqual(codes, ['FUNDING_INSTRUMENT_EXCEEDS_AVAILABLE_CREDIT_LIMIT', 'INVALID_DENOMINATION']);
  });
});

describe('rules of funding instruments are broken', () => {
  const fund = (params: Params) =>
    own('POST', '/funding_instruments', { currency: 'USD', start_time: '2026-01-01', type: 'CREDIT_LINE', ...params });

  test('MISSING_PARAMETER: an insertion order without an end', async () => {
    const refused = await fund({ type: 'INSERTION_ORDER' });
    assert.equal(refused.status, 400, refused.text);
    assert.deepEqual(refused.body.errors, [
      { code: 'MISSING_PARAMETER', message: '"end_time" is a required parameter', parameter: 'end_time' },
    ]);
  });

  test('NOT_AFTER: an end that is the start', async () => {
    const refused = await fund({ end_time: '2026-01-01' });
    assert.equal(refused.status, 400, refused.text);
    assert.deepEqual(refused.body.errors, [invalid('end_time', 'Expected end_time to be after start_time')]);
  });

  test('INVALID_DENOMINATION: a part of a cent', async () => {
    const refused = await fund({ credit_limit_local_micro: 1_000_001 });
    assert.equal(refused.status, 400, refused.text);
    assert.deepEqual(refused.body.errors, [
      {
        code: 'INVALID_DENOMINATION',
        message: `${UNIT} credit_limit_local_micro`,
        parameter: 'credit_limit_local_micro',
      },
    ]);
  });
});

/** Makes as many active campaigns as the account may have. */
async function fillUp(): Promise<string[]> {
  const made: string[] = [];
  for (let count = 0; count < ACTIVE_MAX; count++) {
    const reply = await create({ entity_status: 'ACTIVE' });
    assert.equal(reply.status, 200, reply.text);
    made.push(reply.body.data.id);
  }
  return made;
}

describe('items of a batch are refused together', () => {
  test('every error of every item is reported at its item', async () => {
    const refused = await batch(items.map(([input]) => input));
    assert.equal(refused.status, 400, refused.text);
    assert.deepEqual(
      refused.body.operation_errors,
      items.map(([, errors]) => errors),
    );
  });

  test('CAMPAIGN_NOT_FOUND: an item that changes a missing campaign', async () => {
    const refused = await batch([{ operation_type: 'Delete', params: { campaign_id: '8ZZ1Q' } }]);
    assert.equal(refused.status, 400, refused.text);
    assert.deepEqual(refused.body.operation_errors, [
      [
        {
          code: 'CAMPAIGN_NOT_FOUND',
          message: 'Campaign 8zz1q was not found',
          parameter: 'campaign_id',
          value: '8zz1q',
        },
      ],
    ]);
  });
});

/** What names the audience below which something is. */
const BELOW = /:(custom|tailored)_audience_id(?=\/)/;

/** Parameters that must be given, where any value of their kind would not do. */
const WANTED: Readonly<Record<string, string>> = { locale: 'en-US' };

describe('operations refuse ids and cursors that lead nowhere', () => {
  const lists = operations.filter((each) => each.problems.includes('CURSOR_INVALID'));
  for (const { id, path, parameters: declared } of lists) {
    test(`${id}: an invalid cursor`, async () => {
      const target = path.replace(':account_id', home.account).replace(BELOW, await audience());
      const asked = Object.fromEntries(
        Object.entries(declared).flatMap(([name, field]) =>
          field.isRequired ? [[name, WANTED[name] ?? sampleOf(field)!]] : [],
        ),
      );
      world.clock.advance(LONGEST_WINDOW_S);
      const refused = await world.sandbox.call('GET', target, { params: { ...asked, cursor: 'abc' } });
      assert.equal(refused.status, 400, refused.text);
      assert.deepEqual(refused.body.errors, [
        invalid('cursor', 'Expected a cursor of this list, got "abc" for cursor'),
      ]);
    });
  }

  for (const { id, method, path, parameters: declared, problems: own, body } of operations.filter((each) =>
    /:\w+\/.*:\w+$/.test(each.path),
  )) {
    if (!own.includes('ID_ILLEGAL')) continue;
    const required = Object.entries(declared).filter(([, field]) => field.isRequired);
    const params = Object.fromEntries(required.map(([name, field]) => [name, sampleOf(field)]));
    const sent = body === 'object' ? { json: params } : { params };
    test(`${id}: an illegal id`, async () => {
      world.clock.advance(LONGEST_WINDOW_S);
      const target = path.replace(':account_id', home.account).replace(/:\w+$/, 'a_b');
      const refused = await world.sandbox.call(method, target, sent);
      assert.equal(refused.status, 404, refused.text);
      assert.equal(refused.body.errors[0].code, 'INVALID_ID_ILLEGAL_CHARACTERS');
      assert.match(refused.body.errors[0].message, / id a_b has illegal characters$/);
    });
    if (!own.some((name) => name.endsWith('_NOT_FOUND'))) continue;
    test(`${id}: an unknown id`, async () => {
      world.clock.advance(LONGEST_WINDOW_S);
      const absent = path.endsWith(':media_key') ? '3_9' : 'zz9zz';
      const target = path
        .replace(':account_id', home.account)
        .replace(BELOW, await audience())
        .replace(/:\w+$/, absent);
      const refused = await world.sandbox.call(method, target, sent);
      assert.equal(refused.status, 404, refused.text);
      assert.match(refused.body.errors[0].code, /^([A-Z_]+_)?NOT_FOUND$/);
      assert.match(refused.body.errors[0].message, new RegExp(`^[A-Z][a-z ]+ ${absent} was not found$`));
    });
  }
});

test('every problem of an operation is in these tables', () => {
  for (const family of ['ads', 'numeric'] as const) {
    const own =
      family === 'ads'
        ? [
            ...access,
            ...parameters,
            ...lineItemProblems,
            ...spendProblems,
            ...targetingProblems,
            ...mediaProblems,
            ...postProblems,
            ...cardProblems,
            ...audienceProblems,
            ...conversionProblems,
            ...analyticsProblems,
            ...keywordProblems,
            ...batches,
          ]
        : [...tokens, ...messageProblems];
    const told = new Set([...beforeAll(family), ...own, ...(family === 'ads' ? rules : [])].map(({ name }) => name));
    const wanted = new Set(
      operations.filter((each) => each.family === family).flatMap((each) => declaredProblems(each)),
    );
    if (family === 'ads') for (const name of UNROUTED) wanted.add(name);
    assert.deepEqual(
      [...wanted].filter((name) => !told.has(name)),
      [],
      `problems of the ${family} family that no table has`,
    );
  }
});
