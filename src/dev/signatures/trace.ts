import { formatInstant } from '../../base/instants.ts';
import type { BaseStringParts } from './diagnose.ts';
import { type Explanation, hiddenOf } from './explain.ts';
import type { KnownApplication } from './known-keys.ts';
import type { NamedMistake } from './mistakes.ts';
import { redactedHeader, withoutSecrets } from './redact.ts';
import { parametersOf, type SentRequest } from './sent-request.ts';

/** The reply about a request: JSON without secrets. */
export interface TraceReply {
  /** Absent for a request that the service did not receive. */
  readonly id?: string;
  readonly received_at?: string;
  readonly status?: number;
  readonly method: string;
  readonly target: string;
  /** The base URL for which the request should be signed. */
  readonly origin: string;
  readonly received: { readonly authorization?: string | undefined; readonly content_type?: string | undefined };
  /** In the order header, query, body. */
  readonly parameters: readonly { readonly source: string; readonly name: string; readonly value: string }[];
  readonly outcome: Explanation['outcome'];
  readonly summary: string;
  readonly application?: string | undefined;
  readonly mistakes: readonly NamedMistake[];
  readonly detail?: string | undefined;
  /** `expected` only where the request was signed with the right secrets. */
  readonly signature: { readonly received?: string | undefined; readonly expected?: string | undefined };
  readonly expected?: BaseStringReply | undefined;
  readonly signed?: BaseStringReply | undefined;
  readonly first_difference?: Explanation['firstDifference'];
}

interface BaseStringReply {
  readonly parameter_string: string;
  readonly base_string: string;
}

/** The refusal of a request. */
export interface Receipt {
  readonly id: string;
  readonly wall_ms: number;
  readonly status: number;
}

/** The reply about a request. */
export function replyOf(
  sent: SentRequest,
  explanation: Explanation,
  known: readonly KnownApplication[],
  receipt?: Receipt,
): TraceReply {
  const read = parametersOf(sent);
  const parameters = 'reason' in read ? [] : read;
  const { outcome, summary, application, mistakes, detail, expected, signed } = explanation;
  const trace: TraceReply = {
    ...(receipt && { id: receipt.id, received_at: formatInstant(receipt.wall_ms), status: receipt.status }),
    method: sent.method,
    target: sent.target,
    origin: sent.origins[0]!,
    received: { authorization: redactedHeader(sent.authorization), content_type: sent.contentType },
    parameters: parameters.map(({ source, name, value }) => ({ source, name, value })),
    outcome,
    summary,
    application,
    mistakes,
    detail,
    signature: {
      received: parameters.find(({ name }) => name === 'oauth_signature')?.value,
      expected: explanation.expectedSignature,
    },
    expected: partsReply(expected),
    signed: partsReply(signed),
    first_difference: explanation.firstDifference,
  };
  return withoutSecrets(trace, hiddenOf(sent, known));
}

function partsReply(parts: BaseStringParts | undefined): BaseStringReply | undefined {
  return parts && { parameter_string: parts.parameterString, base_string: parts.baseString };
}
