import { Type } from '../../base/json-schema.ts';
import {
  boolean,
  type Field,
  field,
  instant,
  integer,
  micros,
  oneOf,
  type StoredValue,
  text,
} from '../../contract/declare/fields.ts';
import { type Fields, type RowOf, resource } from '../../contract/declare/resource.ts';
import { CAMPAIGN_ROLES } from '../../contract/declare/roles.ts';
import type { Change } from '../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../contract/problems/problems.ts';
import { SPENT, spentBy } from '../../contract/store/delivery-ledger.ts';
import { checkDenominations, currencyCode } from './currencies.ts';

/** Reasons why an instrument cannot fund campaigns, in the order of replies. @source campaigns 7.1 */
const FUNDING_REASONS = [
  'BUDGET_EXHAUSTED',
  'CREDIT_CARD_APPROVAL_PENDING',
  'CREDIT_CARD_DELETED',
  'CREDIT_CARD_REJECTED',
  'DELETED',
  'EXPIRED',
  'PAUSED',
  'STARTS_IN_FUTURE',
] as const;

const fields = {
  account_id: text({ max: 64 }).readOnly().describe('Account of the instrument.'),
  type: oneOf('AGENCY_CREDIT_LINE', 'CREDIT_CARD', 'CREDIT_LINE', 'INSERTION_ORDER', 'PARTNER_MANAGED')
    .required()
    .createOnly()
    .describe('Payment method.'),
  description: text({ max: 255 })
    .readOnly()
    .defaults('(no payment method has been set up yet)')
    .describe('Display name.'),
  currency: currencyCode().required().createOnly().describe('Currency (ISO 4217) of the instrument and its campaigns.'),
  start_time: instant()
    .required()
    .createOnly()
    .sortable()
    .describe('Start of the funding period; a date means midnight UTC.'),
  end_time: instant()
    .createOnly()
    .sortable()
    .describe('End of the funding period; required for insertion orders; a date means midnight UTC.'),
  credit_limit_local_micro: micros().createOnly().describe('Limit of a credit card or credit line in micro units.'),
  funded_amount_local_micro: micros().createOnly().sortable().describe('Amount of an insertion order in micro units.'),
  io_header: text({ max: 255 }).readOnly().describe('Header of the insertion order.'),
  entity_status: oneOf('ACTIVE', 'PAUSED').readOnly().defaults('ACTIVE').describe('Status set by the advertiser.'),
} satisfies Fields;

/** A stored funding instrument. */
export type FundingInstrument = RowOf<typeof fields>;

/**
 * Funding instruments: the payment method, currency and funding period of campaigns.
 * @source advertising 4; campaigns 7
 */
export const fundingInstruments = resource({
  name: 'funding_instrument',
  plural: 'funding_instruments',
  label: 'Funding instrument',
  description: 'A payment method for campaigns, with its currency and funding period.',
  scope: 'account',
  storage: { isCached: true, extraColumns: [SPENT] },
  operations: ['list', 'get', 'create', 'remove'],
  sandboxOnly: ['create', 'remove'],
  roles: CAMPAIGN_ROLES,
  notFound: 'FUNDING_INSTRUMENT_NOT_FOUND',
  rate: 'account_reads_small',
  ids: { from: 36 ** 4 * 18 },
  fields,
  derive: deriveAmounts,
  rules: [insertionOrderHasEnd, endsAfterStart, amountsFitCurrency],
  problems: ['MISSING_PARAMETER', 'NOT_AFTER', 'INVALID_DENOMINATION'],
  computed: {
    fields: {
      credit_remaining_local_micro: integer({ min: 0, max: Number.MAX_SAFE_INTEGER }).describe(
        'Limit minus spend of a credit line in micro units.',
      ),
      able_to_fund: boolean()
        .required()
        .describe('Whether it can fund campaigns: true when there is no reason against it.'),
      reasons_not_able_to_fund: reasonList(FUNDING_REASONS)
        .required()
        .describe('Reasons why it cannot fund campaigns.'),
    },
    prepare:
      async (_, { now }) =>
      (row) => {
        const reasons = reasonsNotAbleToFund(row, now);
        return {
          credit_remaining_local_micro: creditRemaining(row),
          able_to_fund: reasons.length === 0 ? 1 : 0,
          reasons_not_able_to_fund: JSON.stringify(reasons),
        } satisfies Record<string, StoredValue | null>;
      },
  },
  settlesDelivery: 'always',
  list: {},
});

/** Drops the credit limit of insertion orders, which have none. @source decision 40 */
export function deriveAmounts({ type }: Pick<FundingInstrument, 'type'>): Partial<FundingInstrument> {
  return type === 'INSERTION_ORDER' ? { credit_limit_local_micro: null } : {};
}

/** Returns the reasons why an instrument cannot fund campaigns at `now` (UTC text). @source campaigns 7.1; decision 38 and 173 */
export function reasonsNotAbleToFund(row: FundingInstrument, now: string): string[] {
  const reasons: string[] = [];
  if (row.deleted) reasons.push('DELETED');
  if (row.entity_status === 'PAUSED') reasons.push('PAUSED');
  if (row.start_time !== null && now < row.start_time) reasons.push('STARTS_IN_FUTURE');
  if (row.end_time !== null && now >= row.end_time) reasons.push('EXPIRED');
  const left = remainingFunds(row);
  if (left !== null && left <= 0) reasons.push('BUDGET_EXHAUSTED');
  return reasons;
}

/**
 * Returns the remaining funds of an instrument in micro units; null without a limit. The limit of an insertion order is its
 * funded amount, that of others the credit limit.
 * @source decision 921
 */
function remainingFunds(row: FundingInstrument): number | null {
  const limit = row.type === 'INSERTION_ORDER' ? row.funded_amount_local_micro : row.credit_limit_local_micro;
  return limit === null ? null : Math.max(0, limit - spentBy(row));
}

/** Returns the remaining credit of a credit line in micro units; null for other types and unlimited lines. @source decision 173 */
export function creditRemaining(row: FundingInstrument): number | null {
  const isLine = row.type === 'CREDIT_LINE' || row.type === 'AGENCY_CREDIT_LINE';
  return isLine ? remainingFunds(row) : null;
}

function insertionOrderHasEnd({ after }: Change<FundingInstrument>): ErrorDetail | undefined {
  const lacks = after.type === 'INSERTION_ORDER' && after.end_time === null;
  return lacks ? { problem: 'MISSING_PARAMETER', parameter: 'end_time' } : undefined;
}

/** Rule: the funding period ends after it starts. @source decision 39 */
function endsAfterStart({ after }: Change<FundingInstrument>): ErrorDetail | undefined {
  const { start_time: start, end_time: end } = after;
  const wrong = start !== null && end !== null && end <= start;
  return wrong ? { problem: 'NOT_AFTER', parameter: 'end_time', words: { other: 'start_time' } } : undefined;
}

function amountsFitCurrency({ after }: Change<FundingInstrument>): readonly ErrorDetail[] {
  const amounts = ['credit_limit_local_micro', 'funded_amount_local_micro'] as const;
  return checkDenominations(after, amounts, String(after.currency));
}

/** A computed list of reasons; values are JSON texts of arrays. */
export function reasonList(reasons: readonly string[]): Field<string> {
  return field<string>({
    name: 'reasons',
    column: 'none',
    schema: Type.Array(Type.Literals(reasons)),
    problems: [],
    toJson: (stored) => stored,
    read: (_, parameter) => ({ problem: 'NOT_TEXT', parameter }),
  }).readOnly();
}
