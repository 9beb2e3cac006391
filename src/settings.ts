import { isIP } from 'node:net';
import { isKeyId, parseKeyEntries, parseMasterKey } from './base/secret-box.ts';
import { activitySettings } from './settings/activity.ts';
import { isAddressRange, parseOrigin } from './settings/addresses.ts';
import { brandingSettings } from './settings/branding.ts';
import { connectionSettings } from './settings/connections.ts';
import { bool, choice, integer, list, type SettingOptions, text } from './settings/kinds.ts';
import { loginSettings } from './settings/logins.ts';
import { postgresSettings } from './settings/postgres.ts';
import { limit, rateSettings } from './settings/rates.ts';
import { streamSettings } from './settings/streams.ts';
import { uploadSettings } from './settings/uploads.ts';
import { webhookSettings } from './settings/webhooks.ts';

const publicAddress: SettingOptions<string> = {
  default: '',
  expected: 'an https:// address without path, query or user (http:// only for a loopback host)',
  parse: parseOrigin,
};

/** An address that paths are put behind. */
const baseOf = (address: string) =>
  /^https?:\/\/[^/?#@\s]+(\/[^?#\s]*)?$/.test(address) && URL.canParse(address)
    ? address.replace(/\/+$/, '')
    : undefined;

const HOST = 'a host name or an IP address without brackets';
const hostOf = (host: string) =>
  isIP(host) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(host) ? host : undefined;

/** Every setting, once. Adding an entry adds it to `Settings`, to every source and to the documentation. */
export const settingsTable = {
  data_folder: text('Stores everything kept on disk: the embedded database, media, used nonces.', {
    default: './data',
    flag: '--data',
    expected: 'a path of a folder',
    parse: (path) => (path.trim() === '' ? undefined : path),
  }),
  database_url: text('Names a PostgreSQL database; when empty, SQLite in the data folder needs no other server.', {
    default: '',
    secret: true,
    expected: 'a postgres:// or postgresql:// address',
    parse: (url) => (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url) ? url : undefined),
  }),
  host: text('The address that listeners bind to; loopback until you decide who may reach the server.', {
    default: '127.0.0.1',
    expected: HOST,
    parse: hostOf,
  }),
  port: integer('The main listener; 0 takes any free port.', { default: 8080, bounds: [0, 65535] }),
  sandbox_port: integer('The sandbox listens apart, so that nobody takes it for the real one; 0 takes any free port.', {
    default: 8081,
    bounds: [0, 65535],
  }),
  operations_host: text(
    'Where probes and metrics answer in serve, apart from the callers; in dev: the main listener.',
    {
      default: '127.0.0.1',
      onlyIn: 'serve',
      expected: HOST,
      parse: hostOf,
    },
  ),
  operations_port: integer('The port of probes and metrics; 0 takes any free port.', {
    default: 8082,
    onlyIn: 'serve',
    bounds: [0, 65535],
  }),
  metrics: bool('Serves /metrics beside the probes; turn it off where nobody collects them.', { default: true }),
  ...brandingSettings,
  public_base_url: text(
    'The address that callers use and signatures cover; once it is set, serve accepts signatures for no other host.',
    publicAddress,
  ),
  public_aliases: list('Further addresses of the main listener for which signatures are accepted.', {
    default: [],
    expected: 'a comma list of https:// addresses without path, query or user',
    parse: (addresses) => {
      const origins = addresses.map(parseOrigin);
      return origins.every((each) => each !== undefined) ? origins : undefined;
    },
  }),
  public_sandbox_url: text('The same for the sandbox, when callers reach it at an address of its own.', publicAddress),
  tls_cert: text(
    'The certificate chain of both listeners, so that they speak https by themselves; SIGHUP reads it anew.',
    {
      default: '',
      onlyIn: 'serve',
      expected: 'a path of a PEM file',
      parse: (path) => (path.trim() === '' ? undefined : path),
    },
  ),
  tls_key: text('The private key of the certificate, without a passphrase.', {
    default: '',
    onlyIn: 'serve',
    expected: 'a path of a PEM file',
    parse: (path) => (path.trim() === '' ? undefined : path),
  }),
  tls: bool('Speaks https with a certificate of its own making, for clients that know nothing else.', {
    default: false,
    onlyIn: 'dev',
  }),
  tls_names: list('Further names and addresses that the certificate of dev is for.', {
    default: [],
    onlyIn: 'dev',
    flag: '--tls-name',
    expected: 'a comma list of host names and IP addresses',
    parse: (names) => (names.every((name) => hostOf(name) !== undefined) ? names : undefined),
  }),
  trusted_proxies: list('Forwarding headers are believed only from these senders; anyone else could forge them.', {
    default: [],
    expected: 'a comma list of IP addresses or CIDR ranges',
    parse: (ranges) => (ranges.every(isAddressRange) ? ranges : undefined),
  }),
  allow_insecure_loopback: bool(
    'Lets callers on this machine use plain http; serve takes it only on a loopback host.',
    {
      default: false,
      default_dev: true,
    },
  ),
  master_key: text('Encrypts stored secrets, so that a stolen database is no use; without it, dev makes its own.', {
    default: '',
    secret: true,
    required: 'serve',
    generateWith: 'openssl rand -hex 32',
    expected: '64 hex characters or base64 of 32 bytes',
    parse: (key) => parseMasterKey(key) && key,
  }),
  master_key_id: text('Marks each stored secret with the key that sealed it; a new master key needs a new id.', {
    default: 'k1',
    expected: '1 to 16 of a-z and 0-9',
    parse: (id) => (isKeyId(id) ? id : undefined),
  }),
  master_keys_old: list('Keeps earlier keys readable until everything is sealed with the current one.', {
    default: [],
    secret: true,
    expected: 'a comma list of id:key, each id once',
    parse: (entries) => parseKeyEntries(entries) && entries,
  }),
  timestamp_window_s: integer('How far off the clock of a signed request may be; wider means keeping nonces longer.', {
    default: 300,
    unit: 'seconds',
    bounds: [1, 3600],
  }),
  rate_limits: choice('Off for load tests only; without limits one caller can starve the rest.', ['on', 'off'], 'on'),
  ...rateSettings,
  rate_requests_per_address_per_min: limit(
    60_000,
    'Requests of one address before anything is known of them; what token windows allow must fit in.',
  ),
  rate_page_views_per_15min: limit(300, 'Login and consent pages per caller address; each may leave a session behind.'),
  ...loginSettings,
  deny_redirect: choice(
    'A user who refuses an application is sent back to it, or is shown a link.',
    ['redirect', 'link'],
    'redirect',
  ),
  request_token_ttl_s: integer('How long a user may take to decide on an application that asked for access.', {
    default: 900,
    unit: 'seconds',
    bounds: [30, 3600],
  }),
  verifier_ttl_s: integer(
    'How long the answer waits for the application; short, because a PIN can be seen by others.',
    {
      default: 600,
      unit: 'seconds',
      bounds: [30, 600],
    },
  ),
  verifier_attempts_max: integer('So many wrong PINs or verifiers end a login, so that none can be guessed.', {
    default: 5,
    bounds: [1, 20],
  }),
  lenient_access_token: bool(
    'Ends logins for clients that sign that step wrongly or not at all; then the verifier alone proves who asks.',
    { default: false },
  ),
  revoke_on_verifier_reuse: bool(
    'Takes a new access token back when its login is ended twice; also strikes clients that try again after a lost reply.',
    { default: false },
  ),
  allow_basic_invalidate: bool(
    'Lets applications revoke their bearer token with key and secret, as many clients do; off: only owners, signed.',
    { default: true },
  ),
  applications_per_user_max: integer('Applications that a user may register on the pages; 0 leaves it to operators.', {
    default: 50,
    unit: 'applications',
    bounds: [0, 1000],
  }),
  active_campaigns_max: integer('How many campaigns of an account may be active at once; inactive ones do not count.', {
    default: 200,
    unit: 'campaigns',
    bounds: [1, 8000],
  }),
  active_line_items_max: integer('How many line items of an account may be active at once, over all campaigns.', {
    default: 256,
    unit: 'line items',
    bounds: [1, 8000],
  }),
  campaign_line_items_max: integer('How many line items a campaign may have, deleted ones not counted.', {
    default: 100,
    unit: 'line items',
    bounds: [1, 8000],
  }),
  post_source_name: text('What posts are told to have been made with.', {
    default: 'Barker',
    expected: '1 to 80 characters',
    parse: (name) => (name.trim() !== '' && name.length <= 80 ? name : undefined),
  }),
  post_source_url: text('Where that name leads; when empty, it leads nowhere.', {
    default: '',
    expected: 'an http:// or https:// address',
    parse: (url) => (/^https?:\/\/[^\s"]+$/.test(url) && URL.canParse(url) ? url : undefined),
  }),
  media_base_url: text('Where uploaded media is fetched from; when empty, from the listener itself, below /media.', {
    default: '',
    expected: 'an http:// or https:// address without query or user',
    parse: baseOf,
  }),
  ...uploadSettings,
  media_keys_production: choice(
    'Strict: creatives may use only what lies in the media library; lenient: any well-formed key that nobody uploaded.',
    ['strict', 'lenient'],
    'strict',
  ),
  media_keys_sandbox: choice(
    'The same for the sandbox, so that examples work without uploads.',
    ['strict', 'lenient'],
    'lenient',
  ),
  audience_matching_production: choice(
    'Who counts in an audience: active users of the directory with an identifier in it, or every record uploaded.',
    ['directory', 'every-record'],
    'directory',
  ),
  audience_matching_sandbox: choice(
    'The same for the sandbox, so that audiences grow targetable there without a directory.',
    ['directory', 'every-record'],
    'every-record',
  ),
  audience_processing_delay_production_s: integer(
    'How long after an upload an audience is processed; uploads that follow each other are then processed together.',
    { default: 30, unit: 'seconds', bounds: [0, 86_400] },
  ),
  audience_processing_delay_sandbox_s: integer(
    'The same for the sandbox; 0 lets the next read see what was uploaded.',
    { default: 0, unit: 'seconds', bounds: [0, 86_400] },
  ),
  audience_size_min: integer('A smaller audience is not targetable, so that nobody is singled out.', {
    default: 100,
    unit: 'people',
    bounds: [1, 1_000_000],
  }),
  ...activitySettings,
  ...streamSettings,
  keyword_retention_days: integer('Posts count so long in keyword insights; imported ones are removed after that.', {
    default: 90,
    unit: 'days',
    bounds: [7, 3650],
  }),
  keyword_memory_bytes_max: integer('Indexed posts stay in memory up to this size, about 70 bytes a post.', {
    default: 536_870_912,
    unit: 'bytes',
    bounds: [1_048_576, 17_179_869_184],
  }),
  ...webhookSettings,
  body_bytes_max: integer('A larger request body is refused, so that no caller can fill the memory.', {
    default: 1_048_576,
    unit: 'bytes',
    bounds: [1024, 104_857_600],
  }),
  ...connectionSettings,
  log_level: choice('The least severe line logged.', ['fatal', 'error', 'warn', 'info', 'debug', 'silent'], 'info'),
  audit_retention_days: integer('Audit records are removed after that; 0 keeps them for good.', {
    default: 400,
    unit: 'days',
    bounds: [0, 36_500],
  }),
  access_log: choice('Which requests get a log line; all of them cost speed.', ['all', 'failures', 'off'], 'failures'),
  shutdown_timeout_s: integer('How long requests may finish after a stop signal; keep it below your supervisor.', {
    default: 20,
    unit: 'seconds',
    bounds: [1, 600],
  }),
  shutdown_grace_s: integer(
    'How long connections are still taken after a stop signal. Replies already close theirs, so that clients and proxies move on without a failed request. Part of `shutdown_timeout_s`.',
    { default: 2, default_dev: 0, unit: 'seconds', bounds: [0, 60] },
  ),
  ...postgresSettings,
  seed: integer('Makes ids, keys and sample content repeatable in dev; in serve they would be guessable.', {
    default: 1,
    onlyIn: 'dev',
    bounds: [0, Number.MAX_SAFE_INTEGER],
  }),
};

/** The name of a setting, as in the file. */
export type SettingName = keyof typeof settingsTable;
type Values = { readonly [Name in SettingName]: (typeof settingsTable)[Name]['default'] };
/** All settings, checked. An empty text or list means "not set". */
export interface Settings extends Values {}
