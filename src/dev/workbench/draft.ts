import type { Environment } from '../../contract/declare/account-state.ts';
import type { Operation } from '../../contract/declare/operation.ts';
import { sharedRouter } from '../../http/routes.ts';
import { fieldOf, parametersIn } from '../../markup/call-form.ts';
import type { Entry } from '../requests/entry.ts';
import { pathOf } from '../requests/matching.ts';
import { isSecretName } from '../requests/redact.ts';
import { typeOf } from '../requests/show.ts';
import { headerOf, protocolParameters } from '../requests/signed-curl.ts';
import type { KnownApplication } from '../signatures/known-keys.ts';

/** A request that is being built. */
export interface Draft {
  readonly environment: Environment;
  readonly operation: Operation;
  /** Application and user that sign it, as `APPLICATION/USER`; empty for the usual ones. */
  readonly signer: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Further parameters, one `name=value` a line: unknown, repeated or empty ones. */
  readonly more: string;
  readonly body: string;
}

/** Reads a form or a link. Undefined when it names no operation. */
export function draftFrom(form: URLSearchParams, operations: readonly Operation[]): Draft | undefined {
  const named = form.get('operation')?.trim();
  const operation = operations.find(({ id }) => id === named);
  if (!operation) return undefined;
  const text = (name: string): string => (form.get(name) ?? '').replaceAll('\r\n', '\n');
  return {
    operation,
    environment: operation.onlyIn ?? (text('environment') === 'production' ? 'production' : 'sandbox'),
    signer: text('signer'),
    parameters: parametersIn(form),
    more: text('more').trim(),
    body: text('body').trim(),
  };
}

/** The query of a link to a draft: its state, without what is secret by its name. */
export function linkQuery({ operation, environment, signer, parameters, more, body }: Draft): URLSearchParams {
  const isShown = (name: string): boolean => !isSecretName(name);
  const lines = more.split('\n').filter((line) => isShown(line.split('=', 1)[0]!));
  const members = [
    ...Object.entries({ operation: operation.id, environment, signer }),
    ...Object.entries(parameters).flatMap(([name, value]) => (isShown(name) ? [[fieldOf(name), value]] : [])),
    ...Object.entries({ more: lines.join('\n'), body }),
  ];
  return new URLSearchParams(members.filter(([, value]) => value !== '') as [string, string][]);
}

/** The further parameters as pairs. */
export function pairsOf({ more }: Draft): [name: string, value: string][] {
  return more.split('\n').flatMap((line) => {
    const [, name = '', value = ''] = /^([^=]*)=?(.*)$/s.exec(line)!;
    return name === '' ? [] : [[name, value]];
  });
}

/** Builds the draft of a recorded request, as it was sent. Undefined when it was none of an operation. */
export function draftOf(
  entry: Entry,
  {
    operations,
    known,
    namesOf,
  }: {
    readonly operations: readonly Operation[];
    readonly known: readonly KnownApplication[];
    /** The names of the service for a foreign one. */
    readonly namesOf: (name: string) => readonly string[];
  },
): Draft | undefined {
  const operation = operations.find(({ id }) => id === entry.operation);
  if (!operation) return undefined;
  const { target, headers, environment = 'sandbox' } = entry;
  const { path, parameters: declared, protocolParameters: ofLogin = {} } = operation;
  const route = sharedRouter([path, ...(operation.aliases ?? [])])(pathOf(target));
  const text = Buffer.from(entry.body).toString();
  const isForm = /form-urlencoded/i.test(typeOf(headers));
  const oauth = protocolParameters(headerOf(headers, 'authorization'));
  const sent = [
    ...new URLSearchParams(target.split('?', 2)[1] ?? ''),
    ...(isForm ? new URLSearchParams(text) : []),
    ...[...oauth].filter(([name]) => name in ofLogin),
  ];
  const signer = signerOf(known, oauth);
  const parameters: Record<string, string> = { ...route?.params };
  const more: string[] = [];
  for (const [name, value] of sent) {
    const own = [name, ...namesOf(name)].find((each) => each in declared || each in ofLogin);
    if (own === undefined || own in parameters || value === '') more.push(`${name}=${value}`);
    else parameters[own] = value;
  }
  const others = signer === '' ? [...oauth].filter(([name]) => KEYS.has(name)) : [];
  more.push(...others.map(([name, value]) => `${name}=${value}`));
  const body = isForm ? '' : text;
  return { operation, environment, signer, parameters, more: more.join('\n'), body };
}

const KEYS: ReadonlySet<string> = new Set(['oauth_consumer_key', 'oauth_token']);

/** Who signed a request; empty where its keys are not those of a known application and user. */
function signerOf(known: readonly KnownApplication[], oauth: ReadonlyMap<string, string>): string {
  const application = known.find(({ consumerKey }) => consumerKey === oauth.get('oauth_consumer_key'));
  if (!application) return '';
  const token = oauth.get('oauth_token');
  if (token === undefined) return application.name;
  const user = application.tokens.find((each) => each.token === token);
  return user ? `${application.name}/${user.name}` : '';
}

/** The values of an example as a draft. Undefined when its path is not that of its operation. */
export function pathParameters({ path }: Operation, target: string): Readonly<Record<string, string>> {
  return sharedRouter([path])(target)?.params ?? {};
}
