import { isObject } from '../base/objects.ts';
import { nearestWord } from '../base/text.ts';
import { type SettingName, type Settings, settingsTable } from '../settings.ts';
import { isLoopbackHost } from './addresses.ts';
import type { Mode, SettingEntry, SettingValue } from './kinds.ts';
import { bucketOf } from './objects.ts';

/** The source of a value; later ones win. */
export type SettingSource = 'default' | 'file' | 'environment' | 'flag';

/** All errors in the settings; the message has one error per line. */
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
const dashed = (name: string) => `--${name.replaceAll('_', '-')}`;
const flags = new Map<string, string>(names.map((name) => [name, entries[name].flag ?? dashed(name)]));
/** The flag of a setting. */
export const flagOf = (name: string): string => flags.get(name) ?? dashed(name);
const secretFiles = new Map(names.filter((name) => entries[name].secret).map((name) => [`${name}_file`, name]));
/** Variables with this prefix are not settings: they hold the keys with which commands call a service. */
const CALLER_VARIABLES = 'BARKER_CALL_';

/** A file with a secret, and the variable or setting that names it. */
interface SecretFile {
  readonly name: string;
  readonly path: string;
}

/** The mode of loaded settings, and the sources of their values. */
interface Origins {
  readonly mode: Mode;
  readonly sources: ReadonlyMap<SettingName, SettingSource>;
  /** Files that secrets were read from, with the variable or setting that names each. */
  readonly secretFiles: readonly SecretFile[];
}
const origins = new WeakMap<Settings, Origins>();

/** Returns the sources of loaded settings; undefined for an object that `loadSettings` did not return. */
export function originsOf(settings: Settings): Origins | undefined {
  return origins.get(settings);
}

/** A value before validation: `key` and `where` name it as the user did. */
interface Input {
  readonly name: SettingName;
  readonly key: string;
  readonly where: string;
  readonly source: SettingSource;
  readonly raw: unknown;
}

/** The state of loading. Rules skip `failed` settings, so that each mistake is reported once. */
interface Findings {
  readonly input: Input[];
  readonly problems: string[];
  readonly failed: Set<SettingName>;
  readonly secretFiles: SecretFile[];
}

/** The sources of settings: `flags` by setting name (undefined ones are skipped); `readFile` may throw. */
export interface SettingsInput {
  mode: Mode;
  file?: string | undefined;
  environment: Readonly<Record<string, string | undefined>>;
  flags: Readonly<Record<string, unknown>>;
  /** Settings that `serve` requires may be missing: for commands that only inspect, or only need the database. */
  incomplete?: boolean;
  /** Defaults that replace those of the mode; they are not validated. */
  defaults?: Partial<Settings>;
  readFile: (path: string) => string;
}

/**
 * Loads settings from defaults, then the JSON file (`file`, else `BARKER_CONFIG`), then `BARKER_*` variables, then
 * flags. Throws `SettingsError` with all errors at once; it never quotes a secret.
 */
export function loadSettings(input: SettingsInput): Settings {
  const { mode } = input;
  const findings: Findings = { input: [], problems: [], failed: new Set(), secretFiles: [] };
  takeFile(findings, input);
  takeEnvironment(findings, input);
  for (const [key, raw] of Object.entries(input.flags)) {
    if (raw !== undefined) take(findings, key, { key: flagOf(key), where: 'flag', source: 'flag', raw }, flagOf);
  }
  const defaults = names.map((name) => [name, input.defaults?.[name] ?? defaultOf(name, mode)]);
  const values: Record<SettingName, SettingValue> = Object.fromEntries(defaults);
  const sources = new Map<SettingName, SettingSource>();
  for (const input of findings.input) {
    const value = checked(input, mode, findings);
    if (value === undefined) continue;
    values[input.name] = value;
    sources.set(input.name, input.source);
  }
  const settings = Object.freeze(values) as Settings;
  applyRules(settings, input, findings);
  if (findings.problems.length > 0) throw new SettingsError(findings.problems);
  origins.set(settings, { mode, sources, secretFiles: findings.secretFiles });
  return settings;
}

/** The default of a setting in a mode. */
export function defaultOf(name: SettingName, mode: Mode): SettingValue {
  const { default: usual, default_dev: dev } = entries[name];
  return mode === 'dev' && dev !== undefined ? dev : usual;
}

function take(findings: Findings, name: string, found: Omit<Input, 'name'>, spell: (name: string) => string): void {
  // The spelling must match too, so that two variables (BARKER_PORT, BARKER_port) cannot mean one setting.
  if (isName(name) && spell(name) === found.key) return void findings.input.push({ name, ...found });
  const known = spell === variableOf ? [...names, 'config', ...secretFiles.keys()] : names;
  const near = nearestWord(name.toLowerCase().replaceAll('-', '_'), known);
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
  else if (!isObject(parsed)) {
    findings.problems.push(`${where}: expected a JSON object of settings`);
  } else {
    for (const [key, raw] of Object.entries(parsed)) take(findings, key, { key, where, source: 'file', raw }, String);
    const isSecret = Object.keys(parsed).some((key) => isName(key) && entries[key].secret);
    if (isSecret) findings.secretFiles.push({ name: 'config', path });
  }
}

function takeEnvironment(findings: Findings, { environment, readFile }: SettingsInput): void {
  const where = 'environment';
  for (const [key, content] of Object.entries(environment)) {
    if (!key.startsWith('BARKER_') || key === 'BARKER_CONFIG' || content === undefined) continue;
    if (key.startsWith(CALLER_VARIABLES)) continue;
    const name = key.slice('BARKER_'.length).toLowerCase();
    const secret = key === variableOf(name) ? secretFiles.get(name) : undefined;
    if (secret === undefined) {
      take(findings, name, { key, where, source: 'environment', raw: content }, variableOf);
      continue;
    }
    // The content of the variable is never quoted: it may be the secret itself, put there by mistake.
    const raw = attempt(() => readFile(content).replace(/\r?\n$/, ''));
    const rival = variableOf(secret);
    if (environment[rival] !== undefined)
      addProblem(findings, secret, `${key} (${where}): cannot be combined with ${rival}`);
    else if (raw === undefined) addProblem(findings, secret, `${key} (${where}): cannot read the file that it names`);
    else {
      findings.input.push({ name: secret, key, where, source: 'environment', raw });
      findings.secretFiles.push({ name: key, path: content });
    }
  }
}

function addProblem({ problems, failed }: Findings, name: SettingName, problem: string): undefined {
  problems.push(problem);
  failed.add(name);
}

/** The validated value; undefined after reporting an error. */
function checked({ name, key, where, source, raw }: Input, mode: Mode, findings: Findings): SettingValue | undefined {
  const entry = entries[name];
  const value = attempt(() => readValue(entry, raw, source !== 'file'));
  const misplaced = entry.onlyIn !== undefined && entry.onlyIn !== mode;
  if (value !== undefined && !misplaced) return value;
  const got = entry.secret ? 'a secret that is not shown here' : (JSON.stringify(raw) ?? String(raw)).slice(0, 120);
  const problem = misplaced ? `is for ${entry.onlyIn} only, not ${mode}` : `expected ${expectedOf(entry)}, got ${got}`;
  return addProblem(findings, name, `${key} (${where}): ${problem}`);
}

/**
 * Converts a raw value; undefined when it is invalid. `fromText`: the source is untyped, so text may hold numbers and
 * booleans.
 */
function readValue(entry: SettingEntry, raw: unknown, fromText: boolean): SettingValue | undefined {
  const accept = (value: SettingValue) => (entry.parse === undefined ? value : entry.parse(value));
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

/** Describes the accepted values of a setting, to follow "expected". */
export function expectedOf({ kind, bounds, choices, expected, unit }: SettingEntry): string {
  const amount = unit === undefined ? '' : ` (${unit})`;
  if (kind === 'boolean') return 'true or false';
  if (bounds !== undefined) return `an integer from ${bounds[0]} to ${bounds[1]}${amount}`;
  return choices === undefined ? (expected ?? kind) : `one of ${choices.join(', ')}`;
}

/** Checks rules across settings; an error is reported for the first setting of its rule. */
function applyRules(settings: Settings, { mode, incomplete }: SettingsInput, { problems, failed }: Findings): void {
  const { host, port, master_key_id: keyId } = settings;
  const rule = (of: SettingName[], broken: boolean, problem: string) => {
    if (broken && !of.some((name) => failed.has(name))) problems.push(`${of[0]}: ${problem}`);
  };
  for (const name of names) {
    const missing = !incomplete && entries[name].required === mode && settings[name] === '';
    rule([name], missing, `required in ${mode}; ${howToGive(name)}`);
  }
  const exposed = !incomplete && mode === 'serve' && !isLoopbackHost(host);
  const because = `in serve because host ${host} is not loopback`;
  rule(['public_base_url', 'host'], exposed && settings.public_base_url === '', `required ${because}`);
  const hasAliasesAlone = settings.public_aliases.length > 0 && settings.public_base_url === '';
  rule(['public_base_url', 'public_aliases'], hasAliasesAlone, 'required when public_aliases is set');
  rule(['allow_insecure_loopback', 'host'], exposed && settings.allow_insecure_loopback, `true is refused ${because}`);
  const invents = mode === 'serve' && settings.delivery_production === 'simulated';
  rule(['delivery_production'], invents, 'simulated is refused in serve: it would report spend that nobody spent');
  // If nothing terminated TLS, every request would be plain HTTP and refused.
  const endsTls = settings.tls_cert !== '' || settings.trusted_proxies.length > 0;
  rule(['trusted_proxies', 'host', 'tls_cert'], exposed && !endsTls, `required, or tls_cert, ${because}`);
  rule(['tls_cert', 'tls_key'], settings.tls_cert === '' && settings.tls_key !== '', 'required when tls_key is set');
  rule(['tls_key', 'tls_cert'], settings.tls_key === '' && settings.tls_cert !== '', 'required when tls_cert is set');
  rule(['sandbox_port', 'port'], port !== 0 && port === settings.sandbox_port, `${port} is also the main port`);
  const isRedisAlone = settings.redis_url !== '' && settings.database_url === '';
  rule(['redis_url', 'database_url'], isRedisAlone, 'requires a PostgreSQL database; set database_url too');
  const isDivided = settings.role[0] !== 'all';
  const isOnSqlite = settings.database_url === '';
  rule(
    ['role', 'database_url'],
    !incomplete && isDivided && isOnSqlite,
    'expected all: one server does everything on SQLite; for other roles set database_url',
  );
  for (const name of ['public_base_url', 'public_sandbox_url'] as const) {
    const isMissing = !incomplete && isDivided && !isOnSqlite && settings[name] === '';
    rule([name, 'role'], isMissing, 'required unless role is all: not every server has listeners to take it from');
  }
  const isBucket = bucketOf(settings.object_store) !== undefined;
  for (const name of ['object_store_key_id', 'object_store_secret'] as const) {
    const without = 'required when object_store is a bucket; ';
    rule([name, 'object_store'], !incomplete && isBucket && settings[name] === '', without + howToGive(name));
  }
  for (const name of ['object_store_endpoint', 'object_store_key_id', 'object_store_secret'] as const) {
    const alone = !isBucket && settings[name] !== '';
    rule([name, 'object_store'], alone, 'requires a bucket; set object_store to s3:// and its name');
  }
  const { operations_port: operations, sandbox_port: sandbox } = settings;
  const taken = mode === 'serve' && operations !== 0 && (operations === port || operations === sandbox);
  rule(['operations_port', 'port', 'sandbox_port'], taken, `${operations} is also the port of another listener`);
  const repeated = settings.master_keys_old.some((entry) => entry.startsWith(`${keyId}:`));
  rule(['master_keys_old', 'master_key_id'], repeated, `holds a key of the current id ${keyId}`);
}

function howToGive(name: SettingName): string {
  const entry = entries[name];
  const variable = variableOf(name);
  const from = entry.secret ? `, in ${variable} or in the file that ${variable}_FILE names` : '';
  return `expected ${expectedOf(entry)}${from}${entry.generateWith ? `; make one with: ${entry.generateWith}` : ''}`;
}

function attempt<Result>(action: () => Result): Result | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
