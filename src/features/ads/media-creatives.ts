import { hash } from 'node:crypto';
import { id, oneOf, reference } from '../../contract/declare/fields.ts';
import { type Fields, type RowOf, resource } from '../../contract/declare/resource.ts';
import { CAMPAIGN_WRITERS, CREATIVE_READERS } from '../../contract/declare/roles.ts';
import type { Change } from '../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../contract/problems/problems.ts';
import { type AccountMedia, accountMedia, isPreroll } from './account-media.ts';
import { webUrl } from './cards/web-url.ts';
import { type LineItem, lineItems } from './line-items.ts';
import { CREATIVE_TYPES } from './media/creative-types.ts';

const fields = {
  line_item_id: reference(() => lineItems)
    .required()
    .createOnly()
    .filteredBy('line_item_ids')
    .describe('Line item; videos require the objective PREROLL_VIEWS.'),
  account_media_id: reference(() => accountMedia)
    .required()
    .createOnly()
    .describe('Account media to show.'),
  campaign_id: id().derived().readOnly().hidden().filteredBy('campaign_id').describe('Campaign of the line item.'),
  creative_type: oneOf(...CREATIVE_TYPES)
    .derived()
    .readOnly()
    .describe('Creative type of the account media.'),
  landing_url: webUrl({ max: 2000 })
    .createOnly()
    .describe('Landing page of an image; required for WEBSITE_CLICKS, ignored for videos.'),
  entity_status: oneOf('ACTIVE', 'PAUSED').readOnly().defaults('ACTIVE').describe('Status set by the advertiser.'),
  approval_status: oneOf('ACCEPTED', 'UNDER_REVIEW', 'REJECTED')
    .readOnly()
    .defaults('ACCEPTED')
    .describe('Review status: only accepted ads are shown.'),
} satisfies Fields;

type MediaCreative = RowOf<typeof fields>;

/**
 * Media creatives: account media assigned to a line item.
 * @source creatives 15; decision 210
 */
export const mediaCreatives = resource({
  name: 'media_creative',
  plural: 'media_creatives',
  label: 'Media creative',
  description: 'Assigns account media to a line item.',
  scope: 'account',
  operations: ['list', 'get', 'create', 'remove'],
  roles: { read: CREATIVE_READERS, write: CAMPAIGN_WRITERS },
  notFound: 'MEDIA_CREATIVE_NOT_FOUND',
  rate: 'account_reads',
  ids: { from: 36 ** 4 },
  parentField: 'line_item_id',
  fields,
  unique: {
    key: ({ line_item_id, account_media_id, landing_url }) => [
      line_item_id,
      account_media_id,
      landing_url && hash('sha256', landing_url, 'base64url'),
    ],
  },
  derive(row, { referenced }) {
    const { media, line } = referencedRows(referenced);
    const landing_url = isPreroll(media) ? null : row.landing_url;
    return { campaign_id: line.campaign_id, creative_type: media.creative_type, landing_url };
  },
  rules: [mediaFitsLineItem],
  createProblems: ['LINE_ITEM_UNFIT', 'MISSING_PARAMETER'],
  settlesDelivery: 'always',
  list: {},
});

function referencedRows(referenced: Change<MediaCreative>['referenced']) {
  const line = referenced.get('line_item_id') as LineItem;
  return { media: referenced.get('account_media_id') as AccountMedia, line };
}

/** Rule: videos need a pre-roll line item; images for WEBSITE_CLICKS need a landing URL. @source decision 211 */
function mediaFitsLineItem({ after, referenced }: Change<MediaCreative>): ErrorDetail | undefined {
  const { media, line } = referencedRows(referenced);
  if (isPreroll(media)) {
    if (line.objective === 'PREROLL_VIEWS') return undefined;
    const words = { why: 'is not for PREROLL_VIEWS' };
    return { problem: 'LINE_ITEM_UNFIT', parameter: 'line_item_id', value: line.id, words };
  }
  if (line.objective !== 'WEBSITE_CLICKS' || after.landing_url !== null) return undefined;
  return { problem: 'MISSING_PARAMETER', parameter: 'landing_url' };
}
