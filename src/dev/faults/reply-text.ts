import { STATUS_CODES } from '../../base/node-http.ts';
import type { Family, ProblemName } from '../../contract/problems/problems.ts';
import { wordingOf } from '../../contract/problems/problems.ts';
import type { Exchange } from '../../http/exchange.ts';
import { JSON_TYPES, PROBLEM_TYPE } from '../../http/reply.ts';
import type { FaultReply } from './rule.ts';

/** Errors of the service that a fault without a code looks like. */
const USUAL: Readonly<Record<number, ProblemName>> = {
  401: 'SIGNATURE_REFUSED',
  404: 'ROUTE_UNKNOWN',
  429: 'RATE_LIMITED',
  500: 'INTERNAL',
  503: 'UNAVAILABLE',
};

/** The type and the text of an error in the form and in the words that callers of an operation expect. */
export function faultText(
  { status, code, message }: Pick<FaultReply, 'status' | 'code' | 'message'>,
  { operation, echoedParams, request, words }: Pick<Exchange, 'operation' | 'echoedParams' | 'request' | 'words'>,
): { readonly type: string; readonly text: string } {
  const { family } = operation;
  const usual = USUAL[status] && wordingOf({ problem: USUAL[status] }, family, words?.template);
  const phrased = (json: string): string => (words ? words.replyOut(json) : json);
  const title = STATUS_CODES[status] ?? 'Fault';
  const said = message ?? usual?.message ?? title;
  if (family === 'problem') {
    const problem = { title, detail: said, type: 'about:blank', status, ...(code !== undefined && { code }) };
    return { type: PROBLEM_TYPE, text: phrased(JSON.stringify(problem)) };
  }
  if (family === 'flat') {
    const path = request.url!.split('?', 1)[0]!;
    return { type: JSON_TYPES.others, text: phrased(JSON.stringify({ request: path, error: said })) };
  }
  const errors = JSON.stringify([{ code: code ?? usual?.code ?? codeOf(family, title, status), message: said }]);
  if (family !== 'ads') return { type: JSON_TYPES.others, text: phrased(`{"errors":${errors}}`) };
  const echo = echoedParams.startsWith('[') ? echoedParams : `{"params":${echoedParams}}`;
  return { type: JSON_TYPES.ads, text: phrased(`{"errors":${errors},"request":${echo}}`) };
}

/** A code for a status that the service itself does not use: its name, or the number where codes are numbers. */
function codeOf(family: Family, title: string, status: number): string | number {
  return family === 'ads' ? title.toUpperCase().replace(/\W+/g, '_') : status;
}
