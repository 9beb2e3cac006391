import type { SeenRequest } from './requests.ts';
import type { Send } from './send.ts';
import type { Barker } from './types.ts';

interface RefusalBody {
  readonly error?: Record<'code' | 'message' | 'field', string | undefined>;
  /** Of a call that has waited in vain. */
  readonly near_misses?: readonly (SeenRequest & { readonly differs: readonly string[] })[];
}

/** A refused call below `/_dev`. */
export class Refused extends Error {
  readonly status: number;
  /** Such as `CALL_UNKNOWN`. */
  readonly code: string;
  /** The member of the body that is at fault. */
  readonly field: string | undefined;
  /** The whole body of the reply. */
  readonly body: unknown;

  constructor(call: string, status: number, body: unknown) {
    const { error, near_misses } = (body ?? {}) as RefusalBody;
    const instead = near_misses?.map(
      (each) => `\n  ${each.status} ${each.method} ${each.target}, which differs in ${differencesOf(each).join(', ')}`,
    );
    const came = instead?.length ? `; instead there were:${instead.join('')}` : '';
    super(`${call}: ${error?.message ?? `status ${status}`}${came}`);
    this.name = 'Refused';
    this.status = status;
    this.code = error?.code ?? '';
    this.field = error?.field;
    this.body = body;
  }
}

/** The names that a request differs in, each with its value unless the line of the request shows it. */
function differencesOf({ differs, ...seen }: SeenRequest & { readonly differs: readonly string[] }): string[] {
  return differs.map((name) =>
    ['method', 'path', 'status'].includes(name) ? name : `${name} (${seen[name] ?? 'none'})`,
  );
}

/** Makes calls below `/_dev` of a server. The token is needed when it can be reached from other machines. */
export function surfaceOf(send: Send, url: string, token: string): Barker['dev'] {
  return async <Body>(method: string, path: string, body?: unknown): Promise<Body> => {
    const hasBody = method === 'POST' || method === 'PUT';
    const reply = await send(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(hasBody && { 'content-type': 'application/json' }) },
      body: hasBody ? JSON.stringify(body ?? {}) : undefined,
    });
    if (reply.status < 300) return reply.body as Body;
    throw new Refused(`${method} ${path.split('?')[0]}`, reply.status, reply.body);
  };
}
