import { instantMs } from '../../base/instants.ts';
import { boolean, instant, oneOf, oneOfNumbers, text } from '../../contract/declare/fields.ts';
import { type Fields, type RowOf, resource } from '../../contract/declare/resource.ts';
import { CAMPAIGN_ROLES } from '../../contract/declare/roles.ts';

/** Kinds of website events; each is counted separately. @source decision 991 */
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

/** Attribution windows after a click, in days. */
export const CLICK_WINDOWS = [1, 7, 14, 30, 60, 90] as const;
/** Attribution windows after a view, in days; 0 for never. */
export const VIEW_THROUGH_WINDOWS = [0, 1, 7, 14, 30] as const;

/** How long a tag counts as active after an event, in days. @source decision 991 */
const TRACKED_WITHIN_DAYS = 14;

const fields = {
  name: text({ max: 255 }).required().sortable().describe('Display name; need not be unique.'),
  type: oneOf(...WEB_EVENT_TYPES)
    .required()
    .describe('Action that the event reports; conversions are counted by type.'),
  click_window: oneOfNumbers(...CLICK_WINDOWS)
    .required()
    .describe('Days after a click in which a conversion is attributed to it.'),
  view_through_window: oneOfNumbers(...VIEW_THROUGH_WINDOWS)
    .required()
    .describe('Days after a view in which a conversion is attributed to it; 0 for never.'),
  retargeting_enabled: boolean()
    .required()
    .describe('Whether people who convert may be retargeted; stored without effect.'),
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
  roles: CAMPAIGN_ROLES,
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
        .describe(`\`UNVERIFIED\` until the first event; \`INACTIVE\` after ${TRACKED_WITHIN_DAYS} days without any.`),
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

/** Returns the status of a tag. Times are UTC texts; null before the first event. */
function trackingStatus(last_tracked_at: string | null, now: string): 'ACTIVE' | 'INACTIVE' | 'UNVERIFIED' {
  if (last_tracked_at === null) return 'UNVERIFIED';
  const age_ms = instantMs(now) - instantMs(last_tracked_at);
  return age_ms <= TRACKED_WITHIN_DAYS * 86_400_000 ? 'ACTIVE' : 'INACTIVE';
}

/**
 * Builds the HTML that reports an event whenever a page with it is opened. Without inline script, so that a content security
 * policy needs to allow only the URL of the script.
 */
function embedCode(script: string, website_tag_id: string, event_id: string): string {
  return `<script async src="${script}" data-website-tag-id="${website_tag_id}" data-event-id="${event_id}"></script>`;
}
