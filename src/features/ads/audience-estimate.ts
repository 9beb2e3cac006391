import { instantMs } from '../../base/instants.ts';
import { Type } from '../../base/json-schema.ts';
import type { AccountOperation } from '../../contract/declare/operation.ts';
import { CAMPAIGN_READERS } from '../../contract/declare/roles.ts';
import { Problem, problem } from '../../contract/problems/problems.ts';
import { readCurrentMembers } from './audience-estimate/current-members.ts';
import { CRITERIA_MAX, checkReferences, isPrimary, parseCriteria } from './audience-estimate/parse-criteria.ts';
import { ACTIVE_S, buildPeopleQuery, type EstimateContext } from './audience-estimate/people-query.ts';
import { toSizeRange } from './audience-estimate/size-range.ts';
import { TARGETING_TYPES, TYPE_ALIASES } from './targeting-criteria/targeting-types.ts';

const names = [...Object.keys(TARGETING_TYPES), ...Object.keys(TYPE_ALIASES)];
const criterion = Type.Object({
  targeting_type: Type.Literals(names),
  targeting_value: Type.Union([Type.String({ minLength: 1, maxLength: 255 }), Type.Number(), Type.Boolean()]),
  operator_type: Type.Optional(Type.Literals(['EQ', 'NE', 'GTE', 'LT'])),
});
const list = Type.Array(criterion, { minItems: 1, maxItems: CRITERIA_MAX });

/**
 * Estimates the reach of targeting criteria: counts people in the directory, and returns a range. Stores nothing.
 * @source advertising 8; campaigns 14; decision 1276
 */
export const audienceEstimate: AccountOperation = {
  id: 'audience_estimate.create',
  spellings: { targeting_type: TYPE_ALIASES },
  method: 'POST',
  path: '/12/accounts/:account_id/audience_estimate',
  description: `Estimate how many people up to ${CRITERIA_MAX} targeting criteria reach. At least one must be primary.`,
  group: 'audience_estimate',
  family: 'ads',
  roles: CAMPAIGN_READERS,
  rate: 'writes',
  parameters: {},
  extraEcho: { targeting_criteria: null },
  body: 'json',
  request: Type.Union([list, Type.Object({ targeting_criteria: list })]),
  shape: 'one',
  reply: Type.Closed({
    audience_size: Type.Closed({ min: Type.Integer({ minimum: 0 }), max: Type.Integer({ minimum: 0 }) }),
  }),
  problems: [
    'NOT_CRITERIA',
    'TOO_FEW_ITEMS',
    'ESTIMATE_TOO_LARGE',
    'NOT_AN_OBJECT',
    'MISSING_PARAMETER',
    'TEXT_EMPTY',
    'NOT_TEXT',
    'TEXT_TOO_LONG',
    'ILLEGAL_CHARACTERS',
    'UNKNOWN_CRITERIA_TYPE',
    'INVALID_TARGETING_TYPE',
    'NOT_IN_ENUM',
    'NOT_A_TARGETING_VALUE',
    'NOT_LONG',
    'OUT_OF_RANGE',
    'NOT_AN_ID',
    'INVALID_IAB_CATEGORY',
    'INVALID',
    'TAILORED_AUDIENCE_NOT_FOUND',
    'CAMPAIGN_NOT_FOUND',
    'PROMOTABLE_USER_NOT_FOUND',
    'PRIMARY_MISSING',
  ],
  async perform({ services, account, environment, body, now }) {
    const {
      store,
      audiences: { directory },
      keywords,
    } = services;
    const read = parseCriteria(body);
    const errors = [...read.errors, ...(await store.read((tx) => checkReferences(tx, account, read)))];
    if (errors.length > 0) throw new Problem(errors);
    const criteria = [...read.criteria.values()];
    if (!criteria.some(isPrimary)) throw problem('PRIMARY_MISSING', { parameter: 'targeting_criteria' });
    const now_s = Math.floor(instantMs(now) / 1000);
    // Small audiences are also ignored in exclusions, which would otherwise reveal their people.
    const membersOf: EstimateContext['membersOf'] = (audience) =>
      readCurrentMembers(services, { audience, operator: 'EQ' }, now_s);
    const query = await buildPeopleQuery(criteria, { keywords, environment, now: now_s, membersOf });
    const count = await directory.count(query, now_s - ACTIVE_S);
    return { data: JSON.stringify({ audience_size: toSizeRange(count) }) };
  },
};
