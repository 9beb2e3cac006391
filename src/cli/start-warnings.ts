import { readFileSync, statSync } from 'node:fs';
import { originsOf } from '../settings/load.ts';
import type { Settings } from '../settings.ts';

/** Warnings for the operator at start, one line each. */
export function startWarnings(settings: Settings, openFiles = openFilesMax()): string[] {
  const few = openFiles === undefined ? undefined : fewOpenFiles(openFiles);
  return [...addressWarnings(settings), ...fileWarnings(settings), ...(few ? [few.join('; ')] : [])];
}

function addressWarnings(settings: Settings): string[] {
  const warnings: string[] = [];
  for (const name of ['public_base_url', 'public_sandbox_url'] as const) {
    if (settings[name] !== '') continue;
    warnings.push(
      `${name} is not set: signatures are checked against the host that each request names, and links lead there; set it to the address that callers use`,
    );
  }
  if (settings.tls_cert === '' && settings.trusted_proxies.length === 0) {
    const who = settings.allow_insecure_loopback
      ? 'only callers on this machine are served, unencrypted'
      : 'every caller is refused';
    warnings.push(`no TLS: neither tls_cert nor trusted_proxies is set, so ${who}`);
  }
  return warnings;
}

/** Warnings about files with secrets that other users can access. */
function fileWarnings(settings: Settings): string[] {
  const files = [...(originsOf(settings)?.secretFiles ?? [])];
  if (settings.tls_key !== '') files.push({ name: 'tls_key', path: settings.tls_key });
  return files.flatMap(({ name, path }) => {
    const mode = modeOf(path);
    if (mode === undefined || (mode & 0o077) === 0) return [];
    const who = mode & 0o007 ? 'everybody on this machine' : 'its group';
    const octal = mode.toString(8).padStart(4, '0');
    return [`${name}: ${path} holds a secret and is open to ${who} (mode ${octal}); run: chmod 600 ${path}`];
  });
}

function modeOf(path: string): number | undefined {
  // Windows has no file modes.
  if (process.platform === 'win32') return undefined;
  // The file was read before; that it is gone now is reported elsewhere.
  const found = statSync(path, { throwIfNoEntry: false });
  return found && found.mode & 0o777;
}

/**
 * The minimum limit of file descriptors: each connection, stream and file takes one; many systems allow about a
 * thousand, too few for a busy service.
 */
const OPEN_FILES_MIN = 4096;

/** The limit of open files; undefined if the system does not report it. */
export function openFilesMax(): number | undefined {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined;
  }
}

/** The problem with a limit of open files, and the remedy; undefined without one. */
export function fewOpenFiles(limit: number): readonly [message: string, advice: string] | undefined {
  if (limit >= OPEN_FILES_MIN) return undefined;
  return [`at most ${limit} files and connections may be open`, `raise the limit: ulimit -n ${OPEN_FILES_MIN * 16}`];
}
