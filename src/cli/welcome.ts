import { existsSync, realpathSync } from 'node:fs';
import { delimiter, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Service } from '../app/server.ts';
import { formatInstant } from '../base/instants.ts';
import type { MovableClock } from '../dev/clock/movable-clock.ts';
import { type DevFile, devFilePath, findOwnSeed } from '../dev/dev-folder.ts';
import { isLoopbackHost } from '../settings/addresses.ts';
import { shellQuote } from './output.ts';

/** The message when the development server is ready: where its page is, which has the keys, and a command to paste. */
export function welcome(service: Service, file: DevFile, clock: MovableClock): string {
  const {
    data_folder: folder,
    database_url: url,
    webhook_allow_private: isOpen,
    host,
    tls_cert,
    seed,
  } = service.settings;
  const isReachable = !isLoopbackHost(host);
  const rows: readonly (readonly [name: string, value: string | false | undefined])[] = [
    ['production', service.url],
    ['sandbox', service.sandboxUrl],
    ['data', url === '' ? `SQLite in ${folder}` : 'PostgreSQL'],
    ['keys', devFilePath(folder)],
    ['world', file.world],
    ['clock', clock.isMoved() && clockWords(clock)],
    // Relaxed safety rules are shown at every start.
    ['webhooks', isOpen && 'may use http, any port, and addresses of this machine and its networks'],
    [
      'warning',
      isReachable && !tls_cert && 'every call is refused: others can reach the server, so that it needs --tls',
    ],
    [
      'warning',
      isReachable &&
        findOwnSeed(folder) !== seed &&
        'others can guess the keys, which come from the seed; begin a new data folder, without --seed',
    ],
  ];
  const trust =
    file.tls_ca === undefined
      ? ''
      : `Clients must trust the certificate:\n${table(trustInstructions(file.tls_ca))}\n\n`;
  const shown = table(rows.flatMap(([name, value]) => (value ? [[name, value]] : [])));
  const paste = pasteLine(folder, process.cwd(), folder !== './data');
  return `Barker is ready: open ${service.url}\n\n${shown}\n\n${trust}Try it:\n  ${paste}\n`;
}

function clockWords(clock: MovableClock): string {
  const now = formatInstant(clock.now());
  return clock.mode === 'frozen' ? `stands still at ${now}` : `was moved; it shows ${now} now`;
}

function table(rows: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length));
  return rows.map(([name, value]) => `  ${name.padEnd(width)}  ${value}`).join('\n');
}

/** A command that makes a signed call when pasted into a shell in `cwd`. */
function pasteLine(folder: string, cwd: string, namesFolder: boolean): string {
  const entry = fileURLToPath(new URL('../../bin/barker.js', import.meta.url));
  const call = `call GET /12/accounts${namesFolder ? ` --data ${shellQuote(folder)}` : ''}`;
  const isOurs = (file: string): boolean => existsSync(file) && realpathSync(file) === realpathSync(entry);
  // Finds the Node.js that it needs, in a checkout and where the package is installed.
  const isHere = isOurs(resolve(cwd, 'bin/barker.js')) || isOurs(resolve(cwd, 'node_modules/.bin/barker'));
  if (isHere) return `npx --no-install barker ${call}`;
  const first = (process.env.PATH ?? '').split(delimiter).find((path) => existsSync(resolve(path, 'barker')));
  if (first !== undefined && isOurs(resolve(first, 'barker'))) return `barker ${call}`;
  const runtime = resolve(entry, '../../../runtime/node');
  if (process.execPath === runtime) return `${shellQuote(resolve(runtime, '../../barker'))} ${call}`;
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
