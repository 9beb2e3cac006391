import { formatInstant } from '../../base/instants.ts';
import type { BaseStringParts } from './diagnose.ts';
import { type Explanation, hiddenOf } from './explain.ts';
import type { KnownApplication } from './known-keys.ts';
import type { NamedMistake } from './mistakes.ts';
import { shownHeader, withoutSecrets } from './redact.ts';
import { parametersOf, type SentRequest } from './sent-request.ts';

/** What a call returns about a request: JSON without secrets. */
export interface ShownTrace {
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
  readonly expected?: ShownBaseString | undefined;
  readonly signed?: ShownBaseString | undefined;
  readonly first_difference?: Explanation['firstDifference'];
}

interface ShownBaseString {
  readonly parameter_string: string;
  readonly base_string: string;
}

/** When and how a request was refused. */
export interface Receipt {
  readonly id: string;
  readonly at_ms: number;
  readonly status: number;
}

/** A request and its explanation as they are shown. */
export function shownTrace(
  sent: SentRequest,
  explanation: Explanation,
  known: readonly KnownApplication[],
  receipt?: Receipt,
): ShownTrace {
  const read = parametersOf(sent);
  const parameters = 'reason' in read ? [] : read;
  const { outcome, summary, application, mistakes, detail, expected, signed } = explanation;
  const trace: ShownTrace = {
    ...(receipt && { id: receipt.id, received_at: formatInstant(receipt.at_ms), status: receipt.status }),
    ...{ method: sent.method, target: sent.target, origin: sent.origins[0]! },
    received: { authorization: shownHeader(sent.authorization), content_type: sent.contentType },
    parameters: parameters.map(({ source, name, value }) => ({ source, name, value })),
    ...{ outcome, summary, application, mistakes, detail },
    signature: {
      received: parameters.find(({ name }) => name === 'oauth_signature')?.value,
      expected: explanation.expectedSignature,
    },
    ...{ expected: shownParts(expected), signed: shownParts(signed) },
    first_difference: explanation.firstDifference,
  };
  return withoutSecrets(trace, hiddenOf(sent, known));
}

function shownParts(parts: BaseStringParts | undefined): ShownBaseString | undefined {
  return parts && { parameter_string: parts.parameterString, base_string: parts.baseString };
}
