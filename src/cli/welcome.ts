import { existsSync, realpathSync } from 'node:fs';
import { delimiter, dirname, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Service } from '../app/server.ts';
import { formatInstant } from '../base/instants.ts';
import type { MovableClock } from '../dev/clock/movable-clock.ts';
import { type DevFile, devFilePath, findOwnSeed } from '../dev/dev-folder.ts';
import { isLoopbackHost } from '../settings/addresses.ts';
import { shellQuote } from './output.ts';

/** The developer tools in the message. */
export interface ToolsShown {
  readonly clock: MovableClock;
  /** Whether requests are recorded. */
  readonly recordsRequests: boolean;
}

/** The message when the development server is ready: addresses, keys, and a command to paste. */
export function welcome(service: Service, file: DevFile, { clock, recordsRequests }: ToolsShown): string {
  const {
    data_folder: folder,
    database_url: url,
    webhook_allow_private: isOpen,
    host,
    tls_cert,
    seed,
  } = service.settings;
  const isReachable = !isLoopbackHost(host);
  const rows: (readonly [name: string, value: string])[] = [
    ['production', service.url],
    ['sandbox', service.sandboxUrl],
    ['reference', `${service.url}/reference`],
    ...(recordsRequests ? ([['requests', `${service.url}/_dev/requests`]] as const) : []),
    ['debugger', `${service.url}/_dev/debugger, for refused signatures`],
    ['probes', `${service.operationsUrl}/readyz, /livez, /metrics`],
    ...(clock.isMoved() ? ([['clock', clockWords(clock)]] as const) : []),
    // Relaxed safety rules are shown at every start.
    ...(isOpen
      ? ([['webhooks', 'may use http, any port, and addresses of this machine and its networks']] as const)
      : []),
    ...(isReachable && tls_cert === ''
      ? ([['warning', 'every call is refused: others can reach the server, so that it needs --tls']] as const)
      : []),
    ...(isReachable && findOwnSeed(folder) !== seed
      ? ([
          ['warning', 'others can guess the keys, which come from the seed; begin a new data folder, without --seed'],
        ] as const)
      : []),
    ['', ''],
    ...keyRows(file, ''),
    ['', ''],
    ...(file.world === undefined ? demoRows(file) : worldRows(file)),
    ['saved in', devFilePath(folder)],
  ];
  const trust =
    file.tls_ca === undefined
      ? ''
      : `Clients must trust the certificate:\n${table(trustInstructions(file.tls_ca))}\n\n`;
  const database = url === '' ? `SQLite in ${folder}` : 'PostgreSQL';
  const paste = pasteLine(folder, process.cwd(), folder !== './data');
  return `Barker is ready: development mode on ${database}\n\n${table(rows)}\n\n${trust}Try it:\n  ${paste}\n`;
}

function clockWords(clock: MovableClock): string {
  const now = formatInstant(clock.now());
  return clock.mode === 'frozen' ? `stands still at ${now}` : `was moved; it shows ${now} now`;
}

/** The keys of an application; the first user may have revoked its tokens. */
function keyRows(file: DevFile, application: '' | 'messages_'): [name: string, value: string][] {
  const key = file[`${application}consumer_key`];
  const token: string | undefined = file[`${application}access_token`];
  const another = `barker token create --app ${key} --user ${file.username}`;
  return [
    ['consumer key', key],
    ['consumer secret', file[`${application}consumer_secret`]],
    ['access token', token ?? `was revoked; another one: ${another}`],
    ...(token === undefined ? [] : [['token secret', file[`${application}access_token_secret`]] as [string, string]]),
  ];
}

/** The login of a user. */
function login(file: DevFile, user: '' | 'other_'): string {
  const password: string | undefined = file[`${user}password`];
  return `${file[`${user}username`]} / ${password ?? '(a password that was changed)'}`;
}

/** Other parts of the demo world. */
function demoRows(file: DevFile): [name: string, value: string][] {
  return [
    ['messages', 'these keys can also read and send direct messages (--app messages)'],
    ...keyRows(file, 'messages_'),
    ['', ''],
    ['reader', 'an application that can change nothing (--app reader)'],
    ['', ''],
    ['users', `${login(file, '')}, ${login(file, 'other_')}`],
  ];
}

/** Other parts of the world of a file. */
function worldRows(file: DevFile): [name: string, value: string][] {
  return [
    ['user', login(file, '')],
    ['world', `${file.world}; the file below has the keys and ids of everything in it`],
  ];
}

function table(rows: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => (name === '' ? '' : `  ${name.padEnd(width)}  ${value}`)).join('\n');
}

/** A command that makes a signed call when pasted into a shell in `cwd`. */
function pasteLine(folder: string, cwd: string, namesFolder: boolean): string {
  const entry = resolve(dirname(fileURLToPath(import.meta.url)), '../../bin/barker.js');
  const call = `call GET /12/accounts${namesFolder ? ` --data ${shellQuote(folder)}` : ''}`;
  const isOurs = (file: string): boolean => existsSync(file) && realpathSync(file) === realpathSync(entry);
  // Finds the Node.js that it needs, in a checkout and where the package is installed.
  const isHere = isOurs(resolve(cwd, 'bin/barker.js')) || isOurs(resolve(cwd, 'node_modules/.bin/barker'));
  if (isHere) return `npx --no-install barker ${call}`;
  const first = (process.env.PATH ?? '').split(delimiter).find((path) => existsSync(resolve(path, 'barker')));
  if (first !== undefined && isOurs(resolve(first, 'barker'))) return `barker ${call}`;
  return `${shellQuote(process.execPath)} ${shellQuote(relative(cwd, entry))} ${call}`;
}

/**
 * How to make clients and systems trust a certificate: pairs of the client and a command to paste.
 * @param ca absolute path
 */
function trustInstructions(ca: string): readonly (readonly [what: string, line: string])[] {
  const file = shellQuote(ca);
  return [
    ['Node.js', `export NODE_EXTRA_CA_CERTS=${file}`],
    ['Python', `export REQUESTS_CA_BUNDLE=${file} SSL_CERT_FILE=${file}`],
    ['Ruby', `export SSL_CERT_FILE=${file}`],
    ['Perl', `export PERL_LWP_SSL_CA_FILE=${file}`],
    ['curl', `export CURL_CA_BUNDLE=${file}`],
    ['Debian', `sudo cp ${file} /usr/local/share/ca-certificates/barker.crt && sudo update-ca-certificates`],
    ['macOS', `sudo security add-trusted-cert -d -r trustRoot -k /Library/Keychains/System.keychain ${file}`],
    ['Windows', `certutil -addstore -f Root ${file}`],
    ['Chromium', `certutil -d sql:$HOME/.pki/nssdb -A -t C,, -n barker -i ${file}`],
    ['Firefox', 'Settings, Certificates, Authorities, Import'],
  ];
}
