import { boolean, instant, oneOf, oneOfNumbers, text } from '../../contract/declare/fields.ts';
import { type Fields, type RowOf, resource } from '../../contract/declare/resource.ts';
import { CAMPAIGN_READERS, CAMPAIGN_WRITERS } from '../../contract/declare/roles.ts';
import { embedCode } from './web-event-tags/embed-code.ts';
import { TRACKED_WITHIN_S, trackingStatus } from './web-event-tags/tracking-status.ts';

/** The kinds of events on websites, each of which is counted separately. @source decision 991 */
export const WEB_EVENT_TYPES = [
  'PURCHASE',
  'SIGN_UP',
  'SITE_VISIT',
  'DOWNLOAD',
  'CUSTOM',
  'ADD_TO_CART',
  'CHECKOUT_INITIATED',
  'CONTENT_VIEW',
  'PAYMENT_INFO',
  'ADD_TO_WISHLIST',
  'SEARCH',
  'LANDING_PAGE_VIEW',
  'SUBSCRIPTION',
] as const;

/** For how many days a click may count. */
export const CLICK_WINDOWS = [1, 7, 14, 30, 60, 90] as const;
/** For how many days a view may count; 0 for never. */
export const VIEW_THROUGH_WINDOWS = [0, 1, 7, 14, 30] as const;

const fields = {
  name: text({ max: 255 }).required().sortable().describe('Display name; need not be unique.'),
  type: oneOf(...WEB_EVENT_TYPES)
    .required()
    .describe('What people do when it fires; conversions are counted by it.'),
  click_window: oneOfNumbers(...CLICK_WINDOWS)
    .required()
    .describe('For how many days after a click a conversion is attributed to it.'),
  view_through_window: oneOfNumbers(...VIEW_THROUGH_WINDOWS)
    .required()
    .describe('For how many days after a view a conversion is attributed to it; 0 for never.'),
  retargeting_enabled: boolean()
    .required()
    .describe('Whether people who convert may be retargeted; stored, no audience is made of them.'),
  last_tracked_at: instant().readOnly().describe('When an event was last received.'),
} satisfies Fields;

/** A stored web event tag. */
export type WebEventTag = RowOf<typeof fields>;

/**
 * Web event tags: events on a website that count as conversions of ads.
 * @source decision 990 and 991
 */
export const webEventTags = resource({
  name: 'web_event_tag',
  plural: 'web_event_tags',
  label: 'Web event tag',
  description: 'An event on a website that counts as a conversion of ads.',
  scope: 'account',
  operations: ['list', 'get', 'create', 'update', 'remove'],
  roles: { read: CAMPAIGN_READERS, write: CAMPAIGN_WRITERS },
  notFound: 'NOT_FOUND',
  rate: 'account_reads_small',
  ids: { from: 36 ** 4 * 24 },
  fields,
  settlesDelivery: 'before-changes',
  list: {},
  computed: {
    fields: {
      status: oneOf('ACTIVE', 'INACTIVE', 'UNVERIFIED')
        .required()
        .describe(
          `\`UNVERIFIED\` until the first event; \`INACTIVE\` after ${TRACKED_WITHIN_S / 86_400} days without any.`,
        ),
      website_tag_id: text({ max: 64 })
        .required()
        .describe('The tag on the website, shared by all events of the account; it reports conversions under this id.'),
      embed_code: text({ max: 4096 })
        .required()
        .describe('HTML for the website: loads the script, and reports this event where it is embedded.'),
      auto_created: boolean().required().describe('Always false: the service creates no tags itself.'),
    },
    prepare:
      async (_, { now, pageUrl }) =>
      (row) => ({
        status: trackingStatus(row.last_tracked_at, now),
        website_tag_id: row.account_id,
        embed_code: embedCode(pageUrl('/measurement/tag.js'), row.account_id, row.id),
        auto_created: 0,
      }),
  },
});
