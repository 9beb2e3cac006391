import type { components, operations, paths } from './made';

type Schemas = components['schemas'];
export const name = ({ data }: Schemas['CampaignReply']): string => data.name;
// @ts-expect-error: campaigns have no such member.
export const none = ({ data }: Schemas['CampaignReply']): string => data.title;
type Listed = paths['/12/accounts/{account_id}/campaigns']['get']['responses'][200]['content']['application/json'];
export const cursorOf = ({ next_cursor }: Listed): string | null => next_cursor;
export type Query = NonNullable<operations['campaigns.list']['parameters']['query']>;
export const query: Query = { count: 1, with_deleted: true };
