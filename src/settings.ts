import { isIP } from 'node:net';
import { isKeyId, parseKeyEntries, parseMasterKey } from './base/secret-box.ts';
import { activitySettings } from './settings/activity.ts';
import { isAddressRange, parseOrigin } from './settings/addresses.ts';
import { brandingSettings } from './settings/branding.ts';
import { connectionSettings } from './settings/connections.ts';
import { deliverySettings } from './settings/delivery.ts';
import { amount, bool, choice, integer, list, type SettingOptions, text } from './settings/kinds.ts';
import { loginSettings } from './settings/logins.ts';
import { objectSettings } from './settings/objects.ts';
import { postgresSettings } from './settings/postgres.ts';
import { limit, rateSettings } from './settings/rates.ts';
import { redisSettings } from './settings/redis.ts';
import { roleSettings } from './settings/roles.ts';
import { streamSettings } from './settings/streams.ts';
import { uploadSettings } from './settings/uploads.ts';
import { webhookSettings } from './settings/webhooks.ts';

const publicAddress: SettingOptions<string> = {
  default: '',
  expected: 'an https:// address without path, query or user (http:// only for a loopback host)',
  parse: parseOrigin,
};

/** Normalizes a base URL: no trailing slash; undefined when it is invalid. */
const baseOf = (address: string) =>
  /^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/.test(address) && URL.canParse(address)
    ? address.replace(/\/+$/, '')
    : undefined;

/** A path; undefined if it is blank. */
const filledPath = (path: string) => (path.trim() === '' ? undefined : path);

const HOST = 'a host name or an IP address without brackets';
const hostOf = (host: string) =>
  isIP(host) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(host) ? host : undefined;

/** The settings with a separate file, by topic. */
export const SETTING_GROUPS: Readonly<Record<string, object>> = {
  Roles: roleSettings,
  PostgreSQL: postgresSettings,
  Redis: redisSettings,
  'Object store': objectSettings,
  Connections: connectionSettings,
  'Names and looks': brandingSettings,
  'Logins and passwords': loginSettings,
  'Limits of calls': rateSettings,
  'Media and audience uploads': uploadSettings,
  Delivery: deliverySettings,
  'Activity events': activitySettings,
  Streams: streamSettings,
  Webhooks: webhookSettings,
};

/** Every setting. Adding an entry adds it to `Settings`, to every source and to the documentation. */
export const settingsTable = {
  data_folder: text('Stores all local data: the embedded database, media, used nonces. Back it up.', {
    default: './data',
    flag: '--data',
    expected: 'a path of a folder',
    parse: filledPath,
  }),
  database_url: text('URL of a PostgreSQL database; when empty, SQLite in the data folder is used.', {
    default: '',
    secret: true,
    expected: 'a postgres:// or postgresql:// address',
    parse: (url) => (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url) ? url : undefined),
  }),
  ...roleSettings,
  host: text('The address that listeners bind to; loopback by default, so that nobody else can reach the server.', {
    default: '127.0.0.1',
    expected: HOST,
    parse: hostOf,
  }),
  port: integer('Port of the production listener; 0 takes any free port.', { default: 8080, bounds: [0, 65535] }),
  sandbox_port: integer('Port of the sandbox listener; 0 takes any free port.', {
    default: 8081,
    bounds: [0, 65535],
  }),
  operations_host: text(
    'The address of probes and metrics, separate from the API. In dev they are on the production listener, and here only if the role has no listeners.',
    {
      default: '127.0.0.1',
      expected: HOST,
      parse: hostOf,
    },
  ),
  operator_console: bool(
    'Serves pages for operators at /operator beside probes and metrics; `barker operator link` signs in. Whoever has signed in may do what commands may, so only operators should reach this port.',
    { default: false },
  ),
  operations_port: integer('The port of probes and metrics; 0 takes any free port.', {
    default: 8082,
    bounds: [0, 65535],
  }),
  metrics: bool('Serves Prometheus metrics at /metrics.', { default: true }),
  ...brandingSettings,
  aliases: text(
    'A file with the words of another interface, for clients that were written for it (docs/aliases.md). Servers that share a database need the same.',
    {
      default: '',
      expected: 'a path of a JSON file',
      parse: filledPath,
    },
  ),
  public_base_url: text(
    'The public URL that clients call and sign; when it is set, serve accepts signatures for no other host.',
    publicAddress,
  ),
  public_aliases: list('Additional public URLs of the production listener for which signatures are accepted.', {
    default: [],
    expected: 'a comma list of https:// addresses without path, query or user',
    parse: (addresses) => {
      const origins = addresses.map(parseOrigin);
      return origins.every((each) => each !== undefined) ? origins : undefined;
    },
  }),
  public_sandbox_url: text('The public URL of the sandbox listener.', publicAddress),
  tls_cert: text('The certificate chain with which both listeners serve https; SIGHUP reloads it.', {
    default: '',
    onlyIn: 'serve',
    expected: 'a path of a PEM file',
    parse: filledPath,
  }),
  tls_key: text('The private key of the certificate, unencrypted.', {
    default: '',
    onlyIn: 'serve',
    expected: 'a path of a PEM file',
    parse: filledPath,
  }),
  tls: bool('Serves https with a self-issued certificate, for https-only clients.', {
    default: false,
    onlyIn: 'dev',
  }),
  tls_names: list('Additional host names and IP addresses of the development certificate.', {
    default: [],
    onlyIn: 'dev',
    flag: '--tls-name',
    expected: 'a comma list of host names and IP addresses',
    parse: (names) => (names.every((name) => hostOf(name) !== undefined) ? names : undefined),
  }),
  trusted_proxies: list('Proxies whose X-Forwarded-* headers are trusted; those of any other sender are ignored.', {
    default: [],
    expected: 'a comma list of IP addresses or CIDR ranges',
    parse: (ranges) => (ranges.every(isAddressRange) ? ranges : undefined),
  }),
  allow_insecure_loopback: bool('Allows plain http from this machine; serve accepts this only on a loopback host.', {
    default: false,
    default_dev: true,
  }),
  master_key: text(
    'Encrypts stored secrets, so that a stolen database reveals none; dev generates one when it is missing.',
    {
      default: '',
      secret: true,
      required: 'serve',
      generateWith: 'openssl rand -hex 32',
      expected: '64 hex characters or base64 of 32 bytes',
      parse: (key) => parseMasterKey(key) && key,
    },
  ),
  master_key_id: text('The id stored with each encrypted secret; a new master key needs a new id.', {
    default: 'k1',
    expected: '1 to 16 of a-z and 0-9',
    parse: (id) => (isKeyId(id) ? id : undefined),
  }),
  master_keys_old: list('Earlier master keys, for decryption until all secrets are encrypted with the current one.', {
    default: [],
    secret: true,
    expected: 'a comma list of id:key, each id once',
    parse: (entries) => parseKeyEntries(entries) && entries,
  }),
  timestamp_window_s: amount(
    'How far the timestamp of a signed request may deviate; nonces are kept as long. With PostgreSQL, the server does not start when the clocks of both differ by more than half of it, or 30 s.',
    300,
    'seconds',
    [1, 3600],
  ),
  rate_limits: choice('Turns rate limits on or off; off is for load tests only.', ['on', 'off'], 'on'),
  ...rateSettings,
  rate_requests_per_address_per_min: limit(
    60_000,
    'Requests per client address, counted before authentication; must exceed what tokens may use together.',
  ),
  rate_tag_events_per_15min: limit(600, 'Events that the script of website tags sends, per client address.'),
  rate_page_views_per_15min: limit(300, 'Views of login and consent pages per client address.'),
  ...loginSettings,
  deny_redirect: choice(
    'Whether a user who denies access is redirected to the application or shown a link.',
    ['redirect', 'link'],
    'redirect',
  ),
  request_token_ttl_s: amount('Lifetime of a request token until the user decides.', 900, 'seconds', [30, 3600]),
  verifier_ttl_s: amount('Lifetime of a verifier or PIN.', 600, 'seconds', [30, 600]),
  verifier_attempts_max: integer('Wrong PINs or verifiers that end a login.', {
    default: 5,
    bounds: [1, 20],
  }),
  lenient_access_token: bool(
    'Accepts unsigned or wrongly signed access token requests; the verifier alone then authenticates the client.',
    { default: false },
  ),
  revoke_on_verifier_reuse: bool(
    'Revokes the new access token when a verifier is used twice; also affects clients that retry after a lost reply.',
    { default: false },
  ),
  allow_basic_invalidate: bool(
    'Lets applications revoke their bearer token with Basic authentication; when off, only their owners can, with a signed request.',
    { default: true },
  ),
  applications_per_user_max: amount(
    'Applications that a user may register; with 0 only operators register them.',
    50,
    'applications',
    [0, 1000],
  ),
  sample_people: integer(
    'Sample people in the directory of a new development world, who see the ads of simulated delivery.',
    {
      default: 0,
      default_dev: 5000,
      unit: 'people',
      bounds: [0, 1_000_000],
      onlyIn: 'dev',
      flag: '--people',
    },
  ),
  ...deliverySettings,
  active_campaigns_max: amount(
    'How many campaigns of an account may be active at once; inactive ones do not count.',
    200,
    'campaigns',
    [1, 8000],
  ),
  active_line_items_max: amount(
    'How many line items of an account may be active at once, over all campaigns.',
    256,
    'line items',
    [1, 8000],
  ),
  campaign_line_items_max: amount(
    'How many line items a campaign may have, deleted ones not counted.',
    100,
    'line items',
    [1, 8000],
  ),
  post_source_name: text('The source application that posts made here name.', {
    default: 'Barker',
    expected: '1 to 80 characters',
    parse: (name) => (name.trim() !== '' && name.length <= 80 ? name : undefined),
  }),
  post_source_url: text('The URL that the source application links to; when empty, there is no link.', {
    default: '',
    expected: 'an http:// or https:// address',
    parse: (url) => (/^https?:\/\/[^\s"]+$/.test(url) && URL.canParse(url) ? url : undefined),
  }),
  media_base_url: text('Base URL of uploaded media, such as a CDN; when empty, the listener serves it below /media.', {
    default: '',
    expected: 'an http:// or https:// address without query or user',
    parse: baseOf,
  }),
  ...uploadSettings,
  media_keys_production: choice(
    'strict: creatives may use only media of the library; lenient: also well-formed keys of media that was not uploaded.',
    ['strict', 'lenient'],
    'strict',
  ),
  media_keys_sandbox: choice(
    'The same for the sandbox, so that examples work without uploads.',
    ['strict', 'lenient'],
    'lenient',
  ),
  audience_matching_production: choice(
    'What counts towards the size of an audience: matching active users of the directory, or every uploaded record.',
    ['directory', 'every-record'],
    'directory',
  ),
  audience_matching_sandbox: choice(
    'The same for the sandbox, where audiences become targetable without a directory.',
    ['directory', 'every-record'],
    'every-record',
  ),
  audience_processing_delay_production_s: amount(
    'Delay between an upload and processing; uploads within it are processed together.',
    30,
    'seconds',
    [0, 86_400],
  ),
  audience_processing_delay_sandbox_s: amount(
    'The same for the sandbox; with 0 the next read sees the upload.',
    0,
    'seconds',
    [0, 86_400],
  ),
  audience_size_min: amount('Minimum size of a targetable audience, for privacy.', 100, 'people', [1, 1_000_000]),
  ...activitySettings,
  ...streamSettings,
  keyword_retention_days: amount(
    'How long posts count in keyword insights; imported posts are then deleted.',
    90,
    'days',
    [7, 3650],
  ),
  audience_copies_bytes_max: amount(
    'Disk space in the data folder for copies of audience files that are stored elsewhere; not used when objects are in a folder.',
    17_179_869_184,
    'bytes',
    [67_108_864, 17_592_186_044_416],
  ),
  keyword_memory_bytes_max: amount(
    'Memory for the post index. All of it takes about 50 bytes a post; what does not fit is read from the disk by each search. The distinct words of all posts come on top.',
    536_870_912,
    'bytes',
    [1_048_576, 17_179_869_184],
  ),
  ...webhookSettings,
  body_bytes_max: amount('Maximum size of a request body.', 1_048_576, 'bytes', [1024, 104_857_600]),
  ...connectionSettings,
  log_level: choice('The lowest log level.', ['fatal', 'error', 'warn', 'info', 'debug', 'silent'], 'info'),
  audit_retention_days: amount('Retention of audit records; 0 keeps them forever.', 400, 'days', [0, 36_500]),
  history_retention_days: amount(
    'Retention of the changes of accounts (account_history); 0 keeps them forever.',
    400,
    'days',
    [0, 36_500],
  ),
  access_log: choice(
    'Which requests are logged; logging all of them reduces throughput.',
    ['all', 'failures', 'off'],
    'failures',
  ),
  shutdown_timeout_s: amount(
    'How long requests may finish after a stop signal; keep it below the timeout of your supervisor.',
    20,
    'seconds',
    [1, 600],
  ),
  shutdown_grace_s: amount(
    'How long connections are still taken after a stop signal. Replies already close theirs, so that clients and proxies move on without a failed request. Part of `shutdown_timeout_s`.',
    2,
    'seconds',
    [0, 60],
    { default_dev: 0 },
  ),
  ...postgresSettings,
  ...redisSettings,
  ...objectSettings,
  seed: integer('Makes ids, keys and sample content repeatable in dev; in serve they would be guessable.', {
    default: 1,
    onlyIn: 'dev',
    bounds: [0, Number.MAX_SAFE_INTEGER],
  }),
};

/** The name of a setting, as in the configuration file. */
export type SettingName = keyof typeof settingsTable;
type Values = { readonly [Name in SettingName]: (typeof settingsTable)[Name]['default'] };
/** All settings, validated. An empty text or list means "not set". */
export interface Settings extends Values {}
