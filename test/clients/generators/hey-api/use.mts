import { type CampaignReply, campaignsList } from './made';
export const name = ({ data }: CampaignReply): string => data.name;
// @ts-expect-error: campaigns have no such member.
export const none = ({ data }: CampaignReply): string => data.title;
const { data } = await campaignsList({ path: { account_id: '18ce54' }, query: { count: 1 } });
export const cursor: string | null | undefined = data?.next_cursor;
// @ts-expect-error: counts are numbers.
await campaignsList({ path: { account_id: '18ce54' }, query: { count: 'all' } });
