import { hash } from 'node:crypto';
import { id, oneOf, reference } from '../../contract/declare/fields.ts';
import { type Fields, type RowOf, resource } from '../../contract/declare/resource.ts';
import { CAMPAIGN_WRITERS, CREATIVE_READERS } from '../../contract/declare/roles.ts';
import type { Change } from '../../contract/declare/rules.ts';
import type { ErrorDetail } from '../../contract/problems/problems.ts';
import { type AccountMedia, accountMedia, CREATIVE_TYPES, isPreroll } from './account-media.ts';
import { webUrl } from './cards/web-url.ts';
import { adStatusFields, lineItemChild, lineItemReference } from './line-item-children.ts';
import type { LineItem } from './line-items.ts';
import { lineItemUnfit } from './preroll-call-to-actions.ts';

const fields = {
  line_item_id: lineItemReference('Line item; videos require the objective PREROLL_VIEWS.'),
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
  ...adStatusFields,
} satisfies Fields;

type MediaCreative = RowOf<typeof fields>;

/**
 * Media creatives: account media assigned to a line item.
 * @source creatives 15; decision 210
 */
export const mediaCreatives = resource({
  ...lineItemChild,
  name: 'media_creative',
  plural: 'media_creatives',
  label: 'Media creative',
  description: 'Assigns account media to a line item.',
  operations: ['list', 'get', 'create', 'remove'],
  roles: { read: CREATIVE_READERS, write: CAMPAIGN_WRITERS },
  notFound: 'MEDIA_CREATIVE_NOT_FOUND',
  rate: 'account_reads',
  ids: { from: 36 ** 4 },
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
    return lineItemUnfit(line.id, 'is not for PREROLL_VIEWS');
  }
  if (line.objective !== 'WEBSITE_CLICKS' || after.landing_url !== null) return undefined;
  return { problem: 'MISSING_PARAMETER', parameter: 'landing_url' };
}
