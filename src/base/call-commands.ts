/** An API call, for display to developers. */
export interface CommandedCall {
  readonly environment: 'production' | 'sandbox';
  /** The base URL of the listener, such as `http://127.0.0.1:8081`. */
  readonly base_url: string;
  readonly method: string;
  /** The path below the base URL, with its parameters filled in. */
  readonly path: string;
  /** Parameters by name; undefined ones were not sent, and path parameters may be included. */
  readonly parameters?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  /** The JSON body. */
  readonly body?: unknown;
}

const PLAIN = /^[\w./:@%+,=-]+$/;

/** A word of a command line. */
const quoted = (word: string): string => (PLAIN.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`);

/** The parameters that are not in the path. */
function parametersOf({ path, parameters = {} }: CommandedCall): [name: string, value: string][] {
  const inPath = new Set(path.split('/').map(decodeURIComponent));
  return Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined || (name.endsWith('_id') && inPath.has(String(value))) ? [] : [[name, String(value)]],
  );
}

function optionsOf(call: CommandedCall): string[] {
  const body = call.body === undefined ? [] : ['--json', JSON.stringify(call.body)];
  return [...parametersOf(call).flatMap(([name, value]) => ['-d', `${name}=${value}`]), ...body];
}

/** A call with the command line of this service. */
export function barkerCommand(call: CommandedCall): string {
  const place = call.environment === 'sandbox' ? ['--sandbox'] : [];
  return ['barker', 'call', call.method, call.path, ...optionsOf(call), ...place].map(quoted).join(' ');
}

/** A call with curl, signed by the command line of this service. */
export function curlCommand(call: CommandedCall): string {
  const query = new URLSearchParams(parametersOf(call)).toString();
  const isInQuery = call.method === 'GET' || call.method === 'DELETE';
  const url = call.base_url + call.path;
  const sent = call.body
    ? ` -H 'content-type: application/json' -d ${quoted(JSON.stringify(call.body))}`
    : !isInQuery && query !== ''
      ? ` -d ${quoted(query)}`
      : '';
  const signing = ['barker', 'sign', '--header', call.method, url, ...optionsOf(call)].map(quoted).join(' ');
  const target = quoted(isInQuery && query !== '' ? `${url}?${query}` : url);
  return `curl -X ${call.method} -H "$(${signing})" ${target}${sent}`;
}
