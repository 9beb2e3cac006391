import { type Field, field, oneOf, reference, text } from '../../contract/declare/fields.ts';
import { type Fields, resource } from '../../contract/declare/resource.ts';
import { CAMPAIGN_READERS, CAMPAIGN_WRITERS } from '../../contract/declare/roles.ts';
import { lineItems } from './line-items.ts';

const fields = {
  line_item_id: reference(() => lineItems)
    .required()
    .createOnly()
    .filteredBy('line_item_ids')
    .describe('Line item.'),
  tracking_tag_type: oneOf('IMPRESSION_TAG', 'CLICK_TRACKER').required().createOnly().describe('Event type tracked.'),
  tracking_tag_url: httpsUrl({ max: 2000 }).requiredAlways().describe('Absolute https URL of the tracker.'),
} satisfies Fields;

/**
 * Tracking tags: third-party URLs that track impressions or clicks of a line item.
 * @source campaigns 12.5
 */
export const trackingTags = resource({
  name: 'tracking_tag',
  plural: 'tracking_tags',
  label: 'Tracking tag',
  description: 'A third-party URL that tracks the impressions or clicks of a line item.',
  scope: 'account',
  operations: ['list', 'get', 'create', 'update', 'remove'],
  roles: { read: CAMPAIGN_READERS, write: CAMPAIGN_WRITERS },
  notFound: 'NOT_FOUND',
  rate: 'reads',
  ids: { from: 36 ** 3 * 10 },
  parentField: 'line_item_id',
  fields,
  list: {},
});

/** An absolute https URL of at most `max` characters, stored unchanged. */
function httpsUrl({ max }: { max: number }): Field<string> {
  const { kind } = text({ max });
  return field<string>({
    ...kind,
    name: 'https url',
    problems: [...kind.problems, 'NOT_HTTPS'],
    read(raw, parameter) {
      const value = kind.read(raw, parameter);
      if (typeof value !== 'string' || isHttps(value)) return value;
      return { problem: 'NOT_HTTPS', parameter, words: { raw: value } };
    },
  });
}

function isHttps(value: string): boolean {
  return /^https:\/\/[^\s/?#]+/i.test(value) && !/\s/.test(value) && URL.canParse(value);
}
