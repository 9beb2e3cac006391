import { Type } from '../../base/json-schema.ts';
import { itemsOf, listOf, oneOf } from '../../contract/declare/fields.ts';
import type { AccountCall, AccountOperation, Answer, Operation } from '../../contract/declare/operation.ts';
import { ANY_ROLE, CAMPAIGN_WRITERS } from '../../contract/declare/roles.ts';
import type { Change } from '../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../contract/problems/problems.ts';

/** Every feature key. @source campaigns 5.6 */
export const FEATURES = [
  'AGE_TARGETING',
  'ALLOW_SKIPPABLE_VIDEOS_FOR_PREROLL_VIEWS_OBJECTIVE',
  'AWARENESS_OBJECTIVE',
  'BRAND_TPN',
  'CHARGE_FOR_GOOD_CLICK',
  'CITY_TARGETING',
  'CONVERSATION_CARD',
  'CONVERSATION_CARD_FOUR_OPTIONS',
  'CONVERSATION_CARD_UNLOCK',
  'CPI_CHARGING',
  'DIRECT_MESSAGE_CARD',
  'DR_TAP',
  'ENGAGER_RETARGETING',
  'EVENT_TARGETING',
  'INSTALLED_APP_CATEGORY_TARGETING',
  'MOBILE_CONVERSION_TRANSACTION_VALUE',
  'OPTIMIZED_ACTION_BIDDING',
  'OPTIMIZED_WEBSITE_CONVERSIONS',
  'PREROLL_VIEWS_OBJECTIVE',
  'PROMOTED_MEDIA_POLLS',
  'PTW_ON_SERVICE_PUBLISHER_NETWORK',
  'REACH_AND_FREQUENCY_ANALYTICS',
  'REACH_FREQUENCY_CAP',
  'SHARE_AUDIENCE_OUTSIDE_BUSINESS',
  'UNIVERSAL_LOOKALIKE',
  'VALIDATED_AGE_TARGETING',
  'VIDEO_APP_DOWNLOAD_CARD',
  'VIDEO_VIEWS_MIDROLL_OBJECTIVE',
  'VIDEO_VIEWS_OBJECTIVE',
  'WEBSITE_CLICKS_CPM_BILLING',
] as const;

/** The features of a new sandbox account. @source campaigns 5.6 */
export const SANDBOX_FEATURES: readonly string[] = [
  'ALLOW_SKIPPABLE_VIDEOS_FOR_PREROLL_VIEWS_OBJECTIVE',
  'AWARENESS_OBJECTIVE',
  'CPI_CHARGING',
  'EVENT_TARGETING',
  'INSTALLED_APP_CATEGORY_TARGETING',
  'MOBILE_CONVERSION_TRANSACTION_VALUE',
  'OPTIMIZED_ACTION_BIDDING',
  'PREROLL_VIEWS_OBJECTIVE',
  'VIDEO_APP_DOWNLOAD_CARD',
];

const featureKeys = () => listOf(oneOf(...FEATURES), { max: 200 }).describe('Feature keys.');

const shared = {
  path: '/12/accounts/:account_id/features',
  group: 'features',
  family: 'ads',
  body: 'form',
  shape: 'one',
  reply: Type.Array(Type.Literals(FEATURES)),
  problems: [],
} as const satisfies Partial<Operation>;

const change = {
  onlyIn: 'sandbox',
  roles: CAMPAIGN_WRITERS,
  rate: 'writes',
  parameters: { feature_keys: featureKeys().required() },
} as const satisfies Partial<Operation>;

/** Lists the features of an account, sorted. @source advertising 2; campaigns 5.6 */
export const getFeatures: AccountOperation = {
  ...shared,
  id: 'features.get',
  shape: 'list',
  method: 'GET',
  description: 'List the beta and limited features of the account, sorted.',
  roles: ANY_ROLE,
  rate: 'reads',
  parameters: { feature_keys: featureKeys() },
  async perform(call) {
    const keys = await call.services.store.read((tx) => tx.accountMembers.listFeatures(call.account.id));
    const wanted = call.input.feature_keys ? itemsOf(call.input.feature_keys) : keys;
    return { data: JSON.stringify(keys.filter((key) => wanted.includes(key))) };
  },
};

/** Adds features to a sandbox account; features it already has are ignored. */
export const addFeatures: AccountOperation = {
  ...shared,
  id: 'features.add',
  method: 'POST',
  description: 'Add features to a sandbox account.',
  ...change,
  perform: (call) => changeFeatures(call, 'addFeatures'),
};

/** Removes features from a sandbox account; features it does not have are ignored. */
export const removeFeatures: AccountOperation = {
  ...shared,
  id: 'features.remove',
  method: 'DELETE',
  description: 'Remove features from a sandbox account.',
  ...change,
  perform: (call) => changeFeatures(call, 'removeFeatures'),
};

function changeFeatures(call: AccountCall, verb: 'addFeatures' | 'removeFeatures'): Promise<Answer> {
  const account = call.account.id;
  return call.services.store.write(async ({ accountMembers }) => {
    await accountMembers[verb](account, itemsOf(call.input.feature_keys));
    return { data: JSON.stringify(await accountMembers.listFeatures(account)) };
  });
}

/** Returns the error if the account of a change lacks a feature. */
export async function checkFeature(
  { account, tx }: Pick<Change<unknown>, 'account' | 'tx'>,
  feature: (typeof FEATURES)[number],
  parameter: string,
): Promise<ErrorDetail | undefined> {
  const { id } = account;
  if ((await tx.accountMembers.listFeatures(id)).includes(feature)) return undefined;
  return { problem: 'FEATURE_NOT_AVAILABLE', parameter, words: { feature, account: id } };
}
