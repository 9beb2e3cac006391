import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { loadSettings } from '../../src/settings/load.ts';
import type { Settings } from '../../src/settings.ts';

/** What tests look at in a service of a compose file. */
export interface ComposeService {
  readonly image: string;
  readonly user?: string;
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly healthcheck?: { readonly test?: readonly string[] };
  readonly stop_grace_period?: string;
  readonly networks: Readonly<Record<string, { readonly ipv4_address: string }>>;
}

/** A compose file. */
export interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly secrets: Readonly<Record<string, { readonly file: string }>>;
}

/** Reads a compose file, with its merges done. */
export function readCompose(file: string): Compose {
  return parse(readFileSync(file, 'utf8'), { merge: true }) as Compose;
}

/** What the operator writes to `.env`. */
export const OPERATORS: Readonly<Record<string, string>> = {
  BARKER_PUBLIC_BASE_URL: 'https://ads.example.org',
  BARKER_PUBLIC_SANDBOX_URL: 'https://sandbox.ads.example.org',
};

/** What secrets look like, by the names of their files. */
export const SECRETS: Readonly<Record<string, string>> = {
  master_key: 'ab'.repeat(32),
  database_url: 'postgres://barker:secret@database/barker',
  redis_url: 'redis://:secret@redis:6379/0',
  object_store_secret: 'secret-of-the-object-store',
};

/** The environment of a service, with the variables of the operator in it. */
export function environmentOf({ environment = {} }: ComposeService): Record<string, string> {
  const filled = (text: string): string =>
    text.replace(/\$\{(\w+)(:\?[^}]*)?\}/g, (_, name: string) => OPERATORS[name]!);
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, filled(value)]));
}

/** The settings of a service in its image, as the program reads them. Throws when the program would not accept them. */
export function settingsOfService(service: ComposeService): Settings {
  const flags = service.command!.slice(1);
  const pairs = Array.from({ length: flags.length / 2 }, (_, at) => [
    flags[2 * at]!.replace(/^--/, '').replaceAll('-', '_'),
    flags[2 * at + 1],
  ]);
  return loadSettings({
    mode: 'serve',
    // The image listens on all addresses.
    environment: { BARKER_HOST: '0.0.0.0', ...environmentOf(service) },
    flags: Object.fromEntries(pairs),
    readFile: (path) => SECRETS[path.replace('/run/secrets/', '')]!,
  });
}
