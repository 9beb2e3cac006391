import { oneOf } from '../../contract/declare/fields.ts';
import { type Fields, resource } from '../../contract/declare/resource.ts';
import { CAMPAIGN_ROLES } from '../../contract/declare/roles.ts';
import { httpsUrl } from './cards/web-url.ts';
import { lineItemChild, lineItemReference } from './line-item-children.ts';

const fields = {
  line_item_id: lineItemReference('Line item.'),
  tracking_tag_type: oneOf('IMPRESSION_TAG', 'CLICK_TRACKER').required().createOnly().describe('Event type tracked.'),
  tracking_tag_url: httpsUrl({ max: 2000 }).requiredAlways().describe('Absolute https URL of the tracker.'),
} satisfies Fields;

/**
 * Tracking tags: third-party URLs that track impressions or clicks of a line item.
 * @source campaigns 12.5
 */
export const trackingTags = resource({
  ...lineItemChild,
  name: 'tracking_tag',
  plural: 'tracking_tags',
  label: 'Tracking tag',
  description: 'A third-party URL that tracks the impressions or clicks of a line item.',
  operations: ['list', 'get', 'create', 'update', 'remove'],
  roles: CAMPAIGN_ROLES,
  notFound: 'NOT_FOUND',
  rate: 'reads',
  ids: { from: 36 ** 3 * 10 },
  fields,
});
