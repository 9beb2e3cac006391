import type { Command } from 'commander';
import {
  addProfileOptions,
  buildRequest,
  type ConnectionProfile,
  collectPair,
  encodePairs,
  type OutgoingRequest,
  type Pair,
  profileFrom,
  protocolParameters,
} from './connection-profile.ts';
import { UsageError } from './failure.ts';
import { print, shellQuote } from './output.ts';
import { fetchBearerToken } from './send.ts';

/** `barker sign`. */
export function configure(command: Command): void {
  command
    .argument('[method]', 'GET, POST, PUT or DELETE')
    .argument('[url]', 'URL, or a path on the server of the keys')
    .option(
      '-d, --param <name=value>',
      'Parameter, repeatable; sent in the body of POST and PUT, otherwise in the query',
      collectPair,
    )
    .option('--json <text>', 'JSON body, or @file; not part of the signature')
    .option(
      '-p, --protocol <name=value>',
      'OAuth parameter, such as oauth_nonce=abc; an empty value omits it',
      collectPair,
    )
    .option(
      '--check <command>',
      'Check instead whether a curl command is signed right, and say what is wrong; - reads it from stdin',
    )
    .option('--at <time>', 'With --check: when the command was sent; ISO 8601 in UTC (default: now)')
    .option('--header', 'Print nothing but the header, for `curl -H "$(barker sign --header …)"`')
    .option('--bearer', 'With --header: that of the bearer token of the application');
  addProfileOptions(command)
    .addHelpText(
      'after',
      '\nExamples:\n  barker sign GET /12/accounts -d count=10 -p oauth_timestamp=1767225600' +
        '\n  curl http://127.0.0.1:8080/12/accounts -H "$(barker sign --header GET http://127.0.0.1:8080/12/accounts)"' +
        `\n  barker sign --check "curl http://localhost:8080/12/accounts -H 'Authorization: OAuth ...'"`,
    )
    .action((method?: string, url?: string) => runSign(command, method, url));
}

interface SignOptions {
  readonly param?: Pair[];
  readonly json?: string;
  readonly protocol?: Pair[];
  readonly header?: boolean;
  readonly bearer?: boolean;
}

/** The caller at the server of a URL. */
function at(url: string, caller: ConnectionProfile): ConnectionProfile {
  return URL.canParse(url) ? { ...caller, origin: new URL(url).origin } : caller;
}

async function runSign(command: Command, method: string | undefined, url: string | undefined): Promise<void> {
  const { check } = command.opts<{ check?: string }>();
  if (check !== undefined) {
    const other = ['param', 'json', 'protocol', 'header', 'bearer'].find((name) => command.opts()[name] !== undefined);
    if (method !== undefined || other !== undefined) {
      throw new UsageError(`--check takes no ${other === undefined ? 'method' : `--${other}`}`);
    }
    const { checkCommand } = await import('./sign-check.ts');
    return checkCommand(command, check, command.opts<{ at?: string }>().at);
  }
  if (command.opts().at !== undefined) throw new UsageError('--at needs --check');
  if (method === undefined) throw new UsageError("missing required argument 'method'");
  if (url === undefined) throw new UsageError("missing required argument 'url'");
  const { param: data, json, protocol = [], header, bearer } = command.opts<SignOptions>();
  const caller = profileFrom(command);
  if (bearer) {
    if (!header) throw new UsageError('--bearer needs --header: a bearer token signs nothing');
    return print(`authorization: Bearer ${await fetchBearerToken(at(url, caller))}\n`);
  }
  const request = buildRequest(method, url, caller, { data, json });
  const { sign } = await import('../features/auth/oauth1/signature.ts');
  const signed = sign({
    ...request,
    oauth: changed(protocolParameters(caller.keys), protocol),
    consumerSecret: caller.keys.consumer_secret,
    tokenSecret: caller.keys.access_token_secret,
  });
  if (header) return print(`authorization: ${signed.header}\n`);
  const parts: [name: string, value: string][] = [
    ['Parameter string', signed.parameterString],
    ['Base string', signed.baseString],
    ['Signature', signed.signature],
    ['Authorization header', signed.header],
    ['Command', curlLine(request, signed.header, caller.tlsCa)],
  ];
  print(parts.map(([name, value]) => `${name}:\n${value}\n`).join('\n'));
}

function changed(parameters: Record<string, string>, changes: readonly Pair[]): Record<string, string> {
  const result = { ...parameters };
  for (const [name, value] of changes) {
    if (!name.startsWith('oauth_') && name !== 'realm') {
      throw new UsageError(`${name} is not an OAuth parameter; give request parameters with -d`);
    }
    if (value === '') delete result[name];
    else result[name] = value;
  }
  return result;
}

function curlLine(
  { method, url, form, json }: OutgoingRequest,
  authorization: string,
  tlsCa: string | undefined,
): string {
  const words = ['curl', '--globoff', '--request', method, '--header', `authorization: ${authorization}`];
  if (tlsCa !== undefined && url.startsWith('https:')) words.push('--cacert', tlsCa);
  if (form) words.push('--data-raw', encodePairs(form));
  if (json !== undefined) words.push('--header', 'content-type: application/json', '--data-raw', json);
  return [...words, url].map(shellQuote).join(' ');
}
