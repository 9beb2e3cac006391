import { isIP, isIPv4 } from 'node:net';
import { isKeyId, parseKeyEntries, parseMasterKey } from './base/secret-box.ts';
import { nearest } from './base/text.ts';

/** How the server runs: `dev` on one's own machine with forgiving defaults, `serve` for real use. */
export type Mode = 'dev' | 'serve';
/** Where a value came from; later ones win. */
export type SettingSource = 'default' | 'file' | 'environment' | 'flag';
/** What a setting may hold. */
export type SettingValue = string | number | boolean | readonly string[];

/** What a setting accepts and what it is when not given. */
export interface SettingDetails<Value extends SettingValue> {
  /** Always accepted, also where `accept` would refuse it: an empty text or list means "not set". */
  readonly default: Value;
  readonly default_dev?: Value;
  readonly unit?: string;
  /** Least and greatest integer, both allowed. */
  readonly bounds?: readonly [least: number, greatest: number];
  readonly choices?: readonly string[];
  /** What `accept` lets through, in words that follow "expected". */
  readonly expected?: string;
  /** Never shown; may also come from the file named by `BARKER_<NAME>_FILE`. */
  readonly secret?: boolean;
  /** The one mode in which it may be given. */
  readonly only?: Mode;
  /** The mode in which it must be given. */
  readonly required?: Mode;
  /** The value to use (maybe in a normal form); undefined or an exception refuses it. */
  accept?(value: Value): Value | undefined;
}

/** One setting of the table. */
export interface SettingEntry<Value extends SettingValue = SettingValue> extends SettingDetails<Value> {
  readonly kind: 'text' | 'list' | 'integer' | 'boolean' | 'choice';
  readonly why: string;
}

type Build<Value extends SettingValue> = (why: string, details: SettingDetails<Value>) => SettingEntry<Value>;
const text: Build<string> = (why, details) => ({ kind: 'text', why, ...details });
const list: Build<readonly string[]> = (why, details) => ({ kind: 'list', why, ...details });
const integer: Build<number> = (why, details) => ({ kind: 'integer', why, ...details });
const truth: Build<boolean> = (why, details) => ({ kind: 'boolean', why, ...details });
function choice<const C extends readonly string[]>(why: string, choices: C, by: C[number]): SettingEntry<C[number]> {
  return { kind: 'choice', why, choices, default: by };
}
const limit = (amount: number, why: string) =>
  integer(why, { default: amount, unit: 'requests', bounds: [1, 1_000_000_000] });

const publicAddress: SettingDetails<string> = {
  default: '',
  expected: 'an https:// address without path, query or user (http:// only for a loopback host)',
  accept: originOf,
};

/** Every setting, once. Adding an entry adds it to `Settings`, to every source and to the documentation. */
export const settingsTable = {
  data_folder: text('All that is kept on disk (embedded database, media) lies here, so back up this folder.', {
    default: './data',
    expected: 'a path of a folder',
    accept: (path) => (path.trim() === '' ? undefined : path),
  }),
  database_url: text('Names a PostgreSQL database; when empty, SQLite in the data folder needs no other server.', {
    default: '',
    secret: true,
    expected: 'a postgres:// or postgresql:// address',
    accept: (url) => (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url) ? url : undefined),
  }),
  host: text('The address that listeners bind to; loopback until you decide who may reach the server.', {
    default: '127.0.0.1',
    expected: 'a host name or an IP address without brackets',
    accept: (host) => (isIP(host) !== 0 || /^[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?$/.test(host) ? host : undefined),
  }),
  port: integer('The main listener; 0 takes any free port.', { default: 8080, bounds: [0, 65535] }),
  sandbox_port: integer('The sandbox listens apart, so that nobody takes it for the real one; 0 takes any free port.', {
    default: 8081,
    bounds: [0, 65535],
  }),
  metrics: truth('Serves /metrics on the main listener; turn it off where outsiders reach it.', { default: true }),
  public_base_url: text('Signatures cover the address that callers use; behind a proxy, tell it here.', publicAddress),
  public_sandbox_url: text('The same for the sandbox, when callers reach it at an address of its own.', publicAddress),
  trusted_proxies: list('Forwarding headers are believed only from these senders; anyone else could forge them.', {
    default: [],
    expected: 'a comma list of IP addresses or CIDR ranges',
    accept: (ranges) => (ranges.every(isAddressRange) ? ranges : undefined),
  }),
  allow_insecure_loopback: truth(
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
    expected: '64 hex characters or base64 of 32 bytes',
    accept: (key) => parseMasterKey(key) && key,
  }),
  master_key_id: text('Marks each stored secret with the key that sealed it; a new master key needs a new id.', {
    default: 'k1',
    expected: '1 to 16 of a-z and 0-9',
    accept: (id) => (isKeyId(id) ? id : undefined),
  }),
  master_keys_old: list('Keeps earlier keys readable until everything is sealed with the current one.', {
    default: [],
    secret: true,
    expected: 'a comma list of id:key, each id once',
    accept: (entries) => parseKeyEntries(entries) && entries,
  }),
  timestamp_window_s: integer('How far off the clock of a signed request may be; wider means keeping nonces longer.', {
    default: 300,
    unit: 'seconds',
    bounds: [1, 3600],
  }),
  rate_limits: choice('Off for load tests only; without limits one caller can starve the rest.', ['on', 'off'], 'on'),
  rate_writes_per_min: limit(450, 'All POST, PUT and DELETE of a user token together, the costliest requests.'),
  rate_account_reads_per_15min: limit(10_000, 'Reads of campaigns and other core entities, per endpoint and account.'),
  rate_account_reads_small_per_15min: limit(2000, 'Reads of what an account has few of, per endpoint and account.'),
  rate_reads_per_15min: limit(2000, 'Other reads that name an account, per endpoint and user token.'),
  rate_global_reads_per_15min: limit(2000, 'Reads that name no account, per endpoint and user token.'),
  rate_total_count_per_15min: limit(200, 'Reads that count all matches, which costs far more than a page.'),
  rate_revocations_per_15min: limit(75, 'Revocations of a user token; a working client needs few.'),
  rate_user_quota_per_15min: limit(1_000_000, 'The quota of a user token, high so that account limits bind first.'),
  active_campaigns_max: integer('How many campaigns of an account may be active at once; inactive ones do not count.', {
    default: 200,
    unit: 'campaigns',
    bounds: [1, 8000],
  }),
  body_bytes_max: integer('A larger request body is refused, so that no caller can fill the memory.', {
    default: 1_048_576,
    unit: 'bytes',
    bounds: [1024, 104_857_600],
  }),
  log_level: choice('The least severe line logged.', ['fatal', 'error', 'warn', 'info', 'debug', 'silent'], 'info'),
  access_log: choice('Which requests get a log line; all of them cost speed.', ['all', 'failures', 'off'], 'failures'),
  shutdown_timeout_s: integer('How long requests may finish after a stop signal; keep it below your supervisor.', {
    default: 20,
    unit: 'seconds',
    bounds: [1, 600],
  }),
  postgres_connections_max: integer('The pool size; all servers together must stay below what PostgreSQL allows.', {
    default: 10,
    unit: 'connections',
    bounds: [1, 200],
  }),
  seed: integer('Makes ids, keys and sample content repeatable in dev; in serve they would be guessable.', {
    default: 1,
    only: 'dev',
    bounds: [0, Number.MAX_SAFE_INTEGER],
  }),
};

/** The name of a setting, as in the file. */
export type SettingName = keyof typeof settingsTable;
type Values = { readonly [Name in SettingName]: (typeof settingsTable)[Name]['default'] };
/** All settings, checked. An empty text or list means "not set". */
export interface Settings extends Values {}

/** Everything that is wrong with the given settings; the message has one problem per line. */
export class SettingsError extends Error {
  readonly problems: readonly string[];
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'SettingsError';
    this.problems = problems;
  }
}

const entries: Readonly<Record<SettingName, SettingEntry>> = settingsTable;
const names = Object.keys(settingsTable) as SettingName[];
const isName = (name: string): name is SettingName => Object.hasOwn(settingsTable, name);
const variableOf = (name: string) => `BARKER_${name.toUpperCase()}`;
const flagOf = (name: string) => `--${name.replaceAll('_', '-')}`;
const secretFiles = new Map(names.filter((name) => entries[name].secret).map((name) => [`${name}_file`, name]));
const origins = new WeakMap<Settings, { mode: Mode; sources: Map<SettingName, SettingSource> }>();

/** A value as found: `key` and `where` as the person who gave it knows them. */
interface Given {
  readonly name: SettingName;
  readonly key: string;
  readonly where: string;
  readonly source: SettingSource;
  readonly raw: unknown;
}

/** What loading has found. Rules skip `failed` settings, so that each mistake is reported once. */
interface Findings {
  readonly given: Given[];
  readonly problems: string[];
  readonly failed: Set<SettingName>;
}

/** What settings are loaded from: `flags` by setting name (undefined ones are skipped); `readFile` may throw. */
export interface SettingsInput {
  mode: Mode;
  file?: string | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  flags: Readonly<Record<string, unknown>>;
  readFile: (path: string) => string;
}

/**
 * The settings from defaults, then the JSON file (`file`, else `BARKER_CONFIG`), then `BARKER_*` variables, then flags.
 * Throws `SettingsError` with all problems at once; it never quotes a secret.
 */
export function loadSettings(input: SettingsInput): Settings {
  const { mode } = input;
  const findings: Findings = { given: [], problems: [], failed: new Set() };
  takeFile(findings, input);
  takeEnvironment(findings, input);
  for (const [key, raw] of Object.entries(input.flags)) {
    if (raw !== undefined) take(findings, key, { key: flagOf(key), where: 'flag', source: 'flag', raw }, flagOf);
  }
  const defaults = names.map((name) => [name, defaultOf(name, mode)]);
  const values: Record<SettingName, SettingValue> = Object.fromEntries(defaults);
  const sources = new Map<SettingName, SettingSource>();
  for (const given of findings.given) {
    const value = checked(given, mode, findings);
    if (value === undefined) continue;
    values[given.name] = value;
    sources.set(given.name, given.source);
  }
  const settings = Object.freeze(values) as unknown as Settings;
  applyRules(settings, mode, findings);
  if (findings.problems.length > 0) throw new SettingsError(findings.problems);
  origins.set(settings, { mode, sources });
  return settings;
}

function defaultOf(name: SettingName, mode: Mode): SettingValue {
  const { default: usual, default_dev: dev } = entries[name];
  return mode === 'dev' && dev !== undefined ? dev : usual;
}

function take(findings: Findings, name: string, found: Omit<Given, 'name'>, spell: (name: string) => string): void {
  // The spelling is compared too, so that no two variables (BARKER_PORT, BARKER_port) mean one setting.
  if (isName(name) && spell(name) === found.key) return void findings.given.push({ name, ...found });
  const known = spell === variableOf ? [...names, 'config', ...secretFiles.keys()] : names;
  const near = nearest(name.toLowerCase().replaceAll('-', '_'), known);
  const hint = near === undefined ? '' : `; did you mean ${spell(near)}?`;
  findings.problems.push(`${found.key} (${found.where}): unknown setting${hint}`);
}

function takeFile(findings: Findings, { file, environment, readFile }: SettingsInput): void {
  const path = file ?? environment.BARKER_CONFIG;
  if (!path) return;
  const where = `file ${path}`;
  const content = attempt(() => readFile(path));
  // The parser's own message would quote the text, secrets included.
  const parsed: unknown = content === undefined ? undefined : attempt(() => JSON.parse(content));
  if (content === undefined) findings.problems.push(`${where}: cannot be read`);
  else if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    findings.problems.push(`${where}: expected a JSON object of settings`);
  } else {
    for (const [key, raw] of Object.entries(parsed)) take(findings, key, { key, where, source: 'file', raw }, String);
  }
}

function takeEnvironment(findings: Findings, { environment, readFile }: SettingsInput): void {
  const where = 'environment';
  for (const [key, content] of Object.entries(environment)) {
    if (!key.startsWith('BARKER_') || key === 'BARKER_CONFIG' || content === undefined) continue;
    const name = key.slice('BARKER_'.length).toLowerCase();
    const secret = key === variableOf(name) ? secretFiles.get(name) : undefined;
    if (secret === undefined) {
      take(findings, name, { key, where, source: 'environment', raw: content }, variableOf);
      continue;
    }
    // The variable's content is never quoted: it may be the secret itself, put there by mistake.
    const raw = attempt(() => readFile(content).replace(/\r?\n$/, ''));
    const rival = variableOf(secret);
    if (environment[rival] !== undefined)
      refuse(findings, secret, `${key} (${where}): cannot be combined with ${rival}`);
    else if (raw === undefined) refuse(findings, secret, `${key} (${where}): cannot read the file that it names`);
    else findings.given.push({ name: secret, key, where, source: 'environment', raw });
  }
}

function refuse({ problems, failed }: Findings, name: SettingName, problem: string): undefined {
  problems.push(problem);
  failed.add(name);
}

/** The value to use, or undefined after noting the problem. */
function checked({ name, key, where, source, raw }: Given, mode: Mode, findings: Findings): SettingValue | undefined {
  const entry = entries[name];
  const value = attempt(() => readValue(entry, raw, source !== 'file'));
  const misplaced = entry.only !== undefined && entry.only !== mode;
  if (value !== undefined && !misplaced) return value;
  const got = entry.secret ? 'a secret that is not shown here' : (JSON.stringify(raw) ?? String(raw)).slice(0, 120);
  const problem = misplaced ? `is for ${entry.only} only, not ${mode}` : `expected ${expectedOf(entry)}, got ${got}`;
  return refuse(findings, name, `${key} (${where}): ${problem}`);
}

/** `fromText`: the source has no types, so texts stand for numbers and booleans too. */
function readValue(entry: SettingEntry, raw: unknown, fromText: boolean): SettingValue | undefined {
  const accept = (value: SettingValue) => (entry.accept === undefined ? value : entry.accept(value));
  if (entry.kind === 'choice') return entry.choices?.find((known) => known === raw);
  if (entry.kind === 'boolean') {
    if (fromText && (raw === 'true' || raw === 'false')) return raw === 'true';
    return typeof raw === 'boolean' ? raw : undefined;
  }
  if (entry.kind === 'integer') {
    const [least, greatest] = entry.bounds ?? [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER];
    const value = fromText && typeof raw === 'string' && /^-?\d+$/.test(raw) ? Number(raw) : raw;
    const within = typeof value === 'number' && Number.isInteger(value) && value >= least && value <= greatest;
    return within ? accept(value) : undefined;
  }
  if (entry.kind === 'list') {
    const items = typeof raw === 'string' ? raw.split(',') : raw;
    if (!Array.isArray(items) || !items.every((item) => typeof item === 'string')) return undefined;
    return accept(items.map((item) => item.trim()).filter((item) => item !== ''));
  }
  if (typeof raw !== 'string') return undefined;
  return raw === entry.default ? raw : accept(raw);
}

function expectedOf({ kind, bounds, choices, expected, unit }: SettingEntry): string {
  const amount = unit === undefined ? '' : ` (${unit})`;
  if (kind === 'boolean') return 'true or false';
  if (bounds !== undefined) return `an integer from ${bounds[0]} to ${bounds[1]}${amount}`;
  return choices === undefined ? (expected ?? kind) : `one of ${choices.join(', ')}`;
}

/** What must hold once all values are known; each rule blames its first setting. */
function applyRules(settings: Settings, mode: Mode, { problems, failed }: Findings): void {
  const { host, port, master_key_id: keyId } = settings;
  const rule = (of: SettingName[], broken: boolean, problem: string) => {
    if (broken && !of.some((name) => failed.has(name))) problems.push(`${of[0]}: ${problem}`);
  };
  for (const name of names) {
    const missing = entries[name].required === mode && settings[name] === '';
    rule([name], missing, `required in ${mode}; expected ${expectedOf(entries[name])}`);
  }
  const exposed = mode === 'serve' && !isLoopbackHost(host);
  const because = `in serve because host ${host} is not loopback`;
  rule(['public_base_url', 'host'], exposed && settings.public_base_url === '', `required ${because}`);
  rule(['allow_insecure_loopback', 'host'], exposed && settings.allow_insecure_loopback, `true is refused ${because}`);
  rule(['sandbox_port', 'port'], port !== 0 && port === settings.sandbox_port, `${port} is also the main port`);
  const repeated = settings.master_keys_old.some((entry) => entry.startsWith(`${keyId}:`));
  rule(['master_keys_old', 'master_key_id'], repeated, `holds a key of the current id ${keyId}`);
}

/** A setting as shown to a person; secrets read `(set)` or `(not set)`. */
export interface SettingRow {
  readonly name: SettingName;
  readonly value: string;
  readonly source: SettingSource;
}

/** One row per setting of the mode. Throws for settings that are not the very object `loadSettings` gave. */
export function describeSettings(settings: Settings): SettingRow[] {
  const origin = origins.get(settings);
  if (origin === undefined) throw new Error('only settings as loaded have known sources');
  const used = names.filter((name) => (entries[name].only ?? origin.mode) === origin.mode);
  return used.map((name) => {
    const value = String(settings[name]);
    const hidden = value === '' ? '(not set)' : '(set)';
    return { name, value: entries[name].secret ? hidden : value, source: origin.sources.get(name) ?? 'default' };
  });
}

/** The table for the documentation, in Markdown. */
export function settingsMarkdown(): string {
  const rows = names.map((name) => {
    const entry = entries[name];
    const [usual, dev] = [defaultOf(name, 'serve'), defaultOf(name, 'dev')].map((value) => `\`${value}\``);
    const byDefault = usual === '``' ? 'empty' : usual === dev ? usual : `${usual}, in dev ${dev}`;
    const notes = [entry.secret && 'secret', entry.required && `required in ${entry.required}`];
    const value = [expectedOf(entry), ...notes, entry.only && `${entry.only} only`].filter(Boolean).join('; ');
    return `| \`${name}\` | ${value} | ${byDefault} | ${entry.why} |`;
  });
  return ['| Setting | Value | Default | Why |', '|---|---|---|---|', ...rows, ''].join('\n');
}

/** Whether only this machine can reach the host (a name, or an address with or without brackets). */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));
}

function originOf(text: string): string | undefined {
  const { protocol, hostname, pathname, search, hash, username, password, origin } = new URL(text);
  const plain = pathname === '/' && `${search}${hash}${username}${password}` === '';
  return plain && (protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))) ? origin : undefined;
}

function isAddressRange(text: string): boolean {
  const [address = '', bits = '0', ...rest] = text.split('/');
  const width = { 0: -1, 4: 32, 6: 128 }[isIP(address)] ?? -1;
  return rest.length === 0 && !address.includes('%') && /^\d{1,3}$/.test(bits) && Number(bits) <= width;
}

function attempt<Result>(action: () => Result): Result | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
