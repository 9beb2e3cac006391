export { BarkerClient } from './client.ts';
export { type DevelopmentChoice, developmentOptions } from './development.ts';
export { BarkerError, type ErrorCode, type ErrorItem } from './errors.ts';
export type * from './generated/operations.ts';
export type * from './generated/types.ts';
export { Listing, type Page } from './listing.ts';
export type { BegunLogin, LoggedIn, Login } from './login.ts';
export { formatMicros, fromMicros, micros } from './money.ts';
export type { KeyPair } from './sign.ts';
export { type ActivityEvent, StreamClosed } from './stream.ts';
export { type Bytes, type CallOptions, type ClientOptions, UsageError } from './transport.ts';
export { MediaFailed, type UploadedMedia, type UploadOptions } from './uploads.ts';
export {
  challengeReply,
  nodeListener,
  verifyWebhook,
  type WebhookMessage,
  type WebhookOptions,
  webhookHandler,
} from './webhooks.ts';
