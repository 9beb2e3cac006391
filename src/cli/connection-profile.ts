import { readFileSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Command } from 'commander';
import { systemClock } from '../base/clock.ts';
import { encode } from '../base/percent.ts';
import { secureRandom } from '../base/random.ts';
import { type DevFile, devFilePath, readDevFile } from '../dev/dev-folder.ts';
import { devKeysOf } from '../dev/dev-keys.ts';
import { CommandFailed, UsageError } from './failure.ts';

/** The keys that a request is signed with. The token is empty in the first step of the login. */
export interface SigningKeys {
  readonly consumer_key: string;
  readonly consumer_secret: string;
  readonly access_token: string;
  readonly access_token_secret: string;
}

/** The server that a command calls, and the keys that it signs with. */
export interface ConnectionProfile {
  readonly keys: SigningKeys;
  /** The origin that a path is joined to; undefined when neither options nor stored keys name one. */
  readonly origin: string | undefined;
  /** A file with the certificate of a development server, trusted in addition to the system's. */
  readonly tlsCa: string | undefined;
}

interface CallerOptions
  extends Partial<Record<'url' | 'consumerKey' | 'consumerSecret' | 'token' | 'tokenSecret', string>> {
  readonly data: string;
  readonly sandbox?: boolean;
  readonly as: string;
  readonly app: string;
}

/** Adds the options that select the server and the keys. */
export function addProfileOptions(command: Command): Command {
  return command
    .option('--sandbox', 'Use the sandbox instead of production')
    .option('--as <user>', 'User of the demo world, first or other, or any of the world of a file', 'first')
    .option(
      '--app <application>',
      'Application of the demo world (messages can read direct messages, reader can change nothing), or any of the world of a file',
      'demo',
    )
    .option(
      '--data <folder>',
      'Data folder of a development server; its dev.json has the address and keys',
      dataFolder(),
    )
    .option('--url <origin>', 'Another server, such as https://ads.example')
    .option('--consumer-key <key>', 'Use these keys instead (or BARKER_CALL_*)')
    .option('--consumer-secret <secret>', 'Consumer secret')
    .option('--token <token>', 'Use this access token instead; with an empty one nothing but the application signs')
    .option('--token-secret <secret>', 'Access token secret')
    .addHelpText(
      'after',
      '\nThe environment variables BARKER_CALL_CONSUMER_KEY, BARKER_CALL_CONSUMER_SECRET, BARKER_CALL_TOKEN,' +
        '\nBARKER_CALL_TOKEN_SECRET and BARKER_CALL_URL do the same, hidden from other users of the machine.',
    );
}

const dataFolder = (): string => process.env.BARKER_DATA_FOLDER || './data';

/** The profile from the options of a command, its environment variables, or `dev.json`. */
export function profileFrom(command: Command): ConnectionProfile {
  const options = command.opts<CallerOptions>();
  const input = (option: keyof CallerOptions & string, variable: string) =>
    (options[option] as string | undefined) ?? process.env[`BARKER_CALL_${variable}`];
  const url = input('url', 'URL');
  const consumerKey = input('consumerKey', 'CONSUMER_KEY');
  if (consumerKey === undefined) {
    const file = storedKeys(options.data);
    const keys = { ...demoKeys(file, options), ...tokenFrom(input) };
    return { keys, origin: url ?? storedOrigin(options), tlsCa: file.tls_ca };
  }
  const consumerSecret = input('consumerSecret', 'CONSUMER_SECRET');
  if (consumerSecret === undefined) throw new UsageError('--consumer-key needs --consumer-secret');
  const keys = {
    consumer_key: consumerKey,
    consumer_secret: consumerSecret,
    access_token: '',
    access_token_secret: '',
    ...tokenFrom(input),
  };
  return { keys, origin: url ?? storedOrigin(options), tlsCa: readDevFile(options.data)?.tls_ca };
}

/** The token from options or environment variables, which takes the place of a stored one. */
function tokenFrom(
  input: (option: 'token' | 'tokenSecret', variable: string) => string | undefined,
): Partial<Pick<SigningKeys, 'access_token' | 'access_token_secret'>> {
  const access_token = input('token', 'TOKEN');
  if (access_token === undefined) return {};
  return { access_token, access_token_secret: input('tokenSecret', 'TOKEN_SECRET') ?? '' };
}

function storedKeys(folder: string): DevFile {
  const file = readDevFile(folder);
  if (file) return file;
  throw new CommandFailed(
    `${devFilePath(folder)} does not exist; start barker dev, give its folder with --data, or give --consumer-key`,
  );
}

function storedOrigin({ data, sandbox }: CallerOptions): string | undefined {
  const file = readDevFile(data);
  return sandbox ? file?.sandbox_url : file?.base_url;
}

function demoKeys(file: DevFile, options: CallerOptions): SigningKeys {
  const keys = devKeysOf(file, options);
  if (typeof keys === 'string') throw new CommandFailed(`dev.json ${keys}`);
  return keys;
}

/** The OAuth parameters of a request that is signed now; an empty token is omitted. */
export function protocolParameters(keys: SigningKeys): Record<string, string> {
  return {
    oauth_consumer_key: keys.consumer_key,
    oauth_nonce: secureRandom.bytes(16).toString('hex'),
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: String(Math.floor(systemClock.now() / 1000)),
    ...(keys.access_token === '' ? {} : { oauth_token: keys.access_token }),
    oauth_version: '1.0',
  };
}

/** A name and a value, as passed to `-d`. */
export type Pair = readonly [name: string, value: string];

/** Appends a parsed `name=value`; the value may contain equals signs. */
export function collectPair(text: string, before: readonly Pair[] = []): readonly Pair[] {
  const equals = text.indexOf('=');
  if (equals < 1) throw new UsageError(`expected name=value, got ${JSON.stringify(text)}`);
  return [...before, [text.slice(0, equals), text.slice(equals + 1)]];
}

/** A request as it is signed and sent. */
export interface OutgoingRequest {
  readonly method: string;
  readonly url: string;
  readonly form: readonly Pair[] | undefined;
  readonly json: string | undefined;
  /** A tar archive, instead of form and JSON. */
  readonly tar?: Readable | undefined;
}

const METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH'];

/** Builds a request: pairs become the form body of POST and PUT without JSON, the query otherwise. */
export function buildRequest(
  method: string,
  target: string,
  caller: ConnectionProfile,
  { data = [], json }: { readonly data?: readonly Pair[] | undefined; readonly json?: string | undefined },
): OutgoingRequest {
  const upper = method.toUpperCase();
  if (!METHODS.includes(upper)) throw new UsageError(`${JSON.stringify(method)} is not one of ${METHODS.join(', ')}`);
  const hasForm = json === undefined && data.length > 0 && (upper === 'POST' || upper === 'PUT');
  const url = absolute(target, caller);
  if (!hasForm && data.length > 0) url.search += `${url.search === '' ? '?' : '&'}${encodePairs(data)}`;
  return { method: upper, url: url.href, form: hasForm ? data : undefined, json: json && readJson(json) };
}

function absolute(target: string, { origin }: ConnectionProfile): URL {
  if (/^https?:\/\//i.test(target) && URL.canParse(target)) return new URL(target);
  if (!target.startsWith('/'))
    throw new UsageError('expected a path that starts with /, or a URL with http:// or https://');
  if (origin === undefined) throw new UsageError('the server of the path is unknown; start barker dev, or give --url');
  if (!URL.canParse(origin)) throw new UsageError(`${JSON.stringify(origin)} is not a server URL`);
  return new URL(target, origin);
}

function readJson(input: string): string {
  return input.startsWith('@') ? readFileSync(input.slice(1), 'utf8') : input;
}

/** Pairs as a query or a form body. */
export function encodePairs(pairs: readonly Pair[]): string {
  return pairs.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
}
