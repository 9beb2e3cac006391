import type { ColumnType, Generated } from 'kysely';
import type { ApplicationLimit } from '../../contract/declare/application-limits.ts';
import type { Environment } from '../../contract/declare/resource.ts';
import type { StreamConnection } from '../../contract/services/streams.ts';
import type { AccountMember } from '../../contract/store/account-members.ts';
import type { AuditRecord } from '../../contract/store/audit.ts';
import type { ChangeRow } from '../../contract/store/changes.ts';
import type { AccessToken, Application, User } from '../../contract/store/credentials.ts';
import type { LoggedEvent } from '../../contract/store/events.ts';
import type { BearerToken, RequestToken } from '../../contract/store/grants.ts';
import type { Notification, Post } from '../../contract/store/posts.ts';
import type { Subscription } from '../../contract/store/subscriptions.ts';
import type { Upload } from '../../contract/store/uploads.ts';
import type { Replay, Webhook, WebhookDelivery } from '../../contract/store/webhooks.ts';
import type { Schema } from '../generated/schema.ts';

/** Rows as the storage port promises them: their enums and flags are narrower than the text and integers of the columns. */
interface PortRows {
  access_tokens: AccessToken;
  account_changes: ChangeRow;
  account_users: AccountMember;
  accounts: { readonly environment: Environment };
  application_limits: { readonly name: ApplicationLimit };
  applications: Application;
  audit_events: AuditRecord;
  bearer_tokens: BearerToken;
  events: LoggedEvent;
  notifications: Notification;
  posts: Post;
  replays: Replay;
  request_tokens: RequestToken;
  stream_connections: StreamConnection;
  subscriptions: Subscription;
  uploads: Upload;
  users: User;
  webhook_deliveries: WebhookDelivery;
  webhooks: Webhook;
}

/** The tables that Kysely checks statements against: the schema, with the narrower values that the port promises. */
export type Database = {
  [Table in keyof Schema]: Table extends keyof PortRows ? NarrowTable<Schema[Table], PortRows[Table]> : Schema[Table];
};

/** The name of a table. */
export type TableName = keyof Database & string;

type NarrowTable<Columns, Row> = {
  [Name in keyof Columns]: Name extends keyof Row ? NarrowColumn<Columns[Name], Row[Name]> : Columns[Name];
};

/** Whether a column may be null is for the schema to say, and so is what a column holds that the port shows converted. */
type NarrowColumn<Column, Member> = [Column] extends [ColumnType<infer Stored, infer _Insert, infer _Update>]
  ? Generated<NarrowValue<Stored, Member>>
  : NarrowValue<Column, Member>;

type NarrowValue<Stored, Member> = [Exclude<Member, null>] extends [Exclude<Stored, null>]
  ? Exclude<Member, null> | Extract<Stored, null>
  : Stored;
