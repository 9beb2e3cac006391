import type { ColumnType, Generated, Insertable } from 'kysely';
import type { Environment } from '../../contract/declare/account-state.ts';
import type { ApplicationLimit } from '../../contract/declare/application-limits.ts';
import type { StreamConnection } from '../../contract/services/streams.ts';
import type { AuditRecord } from '../../contract/store/audit.ts';
import type { AccessToken, Application, User } from '../../contract/store/credentials.ts';
import type { LoggedEvent } from '../../contract/store/events.ts';
import type { BearerToken, RequestToken } from '../../contract/store/grants.ts';
import type { Notification, Post } from '../../contract/store/posts.ts';
import type { Publisher } from '../../contract/store/publishers.ts';
import type { StatsJob } from '../../contract/store/stats-jobs.ts';
import type { Upload } from '../../contract/store/uploads.ts';
import type { Replay, Webhook, WebhookDelivery } from '../../contract/store/webhooks.ts';
import type { Schema } from '../generated/schema.ts';
import type { AccountHistoryRow } from '../tables/account-history.ts';
import type { DeliveryTouch, WaitingConversion } from '../tables/conversions.ts';
import type { AccountMember } from '../tables/memberships.ts';
import type { Subscription } from '../tables/subscriptions.ts';

/** Row types of the port: enums and booleans are narrower than the text and integer columns. @source decision 690 */
interface PortRows {
  access_tokens: AccessToken;
  account_changes: AccountHistoryRow;
  account_users: AccountMember;
  accounts: { readonly environment: Environment };
  application_limits: { readonly name: ApplicationLimit };
  applications: Application;
  audit_events: AuditRecord;
  bearer_tokens: BearerToken;
  delivery_touches: DeliveryTouch;
  events: LoggedEvent;
  notifications: Notification;
  posts: Post;
  publishers: Publisher;
  replays: Replay;
  request_tokens: RequestToken;
  stats_jobs: StatsJob;
  stream_connections: StreamConnection;
  subscriptions: Subscription;
  uploads: Upload;
  users: User;
  waiting_conversions: WaitingConversion;
  webhook_deliveries: WebhookDelivery;
  webhooks: Webhook;
}

/** The tables that Kysely checks statements against: the schema, narrowed to the types of the port. */
export type Database = {
  [Table in keyof Schema]: Table extends keyof PortRows ? NarrowTable<Schema[Table], PortRows[Table]> : Schema[Table];
};

/** A row to insert into a table. */
export type NewRow<Table extends TableName> = Insertable<Database[Table]>;

/** A table name. */
export type TableName = keyof Database & string;

type NarrowTable<Columns, Row> = {
  [Name in keyof Columns]: Name extends keyof Row ? NarrowColumn<Columns[Name], Row[Name]> : Columns[Name];
};

/** The schema decides whether a column is nullable, and the type of columns that the port converts. */
type NarrowColumn<Column, Member> = [Column] extends [ColumnType<infer Stored, infer _Insert, infer _Update>]
  ? Generated<NarrowValue<Stored, Member>>
  : NarrowValue<Column, Member>;

type NarrowValue<Stored, Member> = [Exclude<Member, null>] extends [Exclude<Stored, null>]
  ? Exclude<Member, null> | Extract<Stored, null>
  : Stored;
