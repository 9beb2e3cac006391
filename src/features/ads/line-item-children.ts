import { oneOf, reference } from '../../contract/declare/fields.ts';
import type { Fields } from '../../contract/declare/resource.ts';
import { lineItems } from './line-items.ts';

/** Shared declarations of resources below a line item. */
export const lineItemChild = { scope: 'account', parentField: 'line_item_id', list: {} } as const;

/** Declares the line item of a row, by which lists can be filtered. */
export function lineItemReference(description: string) {
  return reference(() => lineItems)
    .required()
    .createOnly()
    .filteredBy('line_item_ids')
    .describe(description);
}

/** Status fields of promoted posts, promoted accounts and media creatives. */
export const adStatusFields = {
  entity_status: oneOf('ACTIVE', 'PAUSED').readOnly().defaults('ACTIVE').describe('Status set by the advertiser.'),
  approval_status: oneOf('ACCEPTED', 'UNDER_REVIEW', 'REJECTED')
    .readOnly()
    .defaults('ACCEPTED')
    .describe('Review status: only accepted ads are shown.'),
} satisfies Fields;
