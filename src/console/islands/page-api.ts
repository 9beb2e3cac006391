import { barkerCommand, curlCommand } from '../../base/call-commands.ts';

/** The reply of an API call. */
export interface ApiReply {
  /** 503 if there was no reply; the outcome of the call is then unknown. */
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: each operation has its own shape, and a proxy may answer in its own way
  readonly body: any;
  /** The value of Retry-After; 0 if absent. */
  readonly retryAfter_s: number;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * Calls an operation for the user of the page; `path` begins with `/console/api/`. After a login in another tab it takes
 * over the token of that session. A body is sent as JSON, or as multipart data where it is a form.
 */
export async function callApi(method: Method, path: string, body?: unknown): Promise<ApiReply> {
  const sent = body === undefined || body instanceof FormData ? body : JSON.stringify(body);
  showCall(method, path, sent);
  const reply = await send(method, path, sent);
  return reply.status === 403 && (await renewToken()) ? send(method, path, sent) : reply;
}

/** Whether a call may be retried. */
export function isUnavailable({ status }: ApiReply): boolean {
  return status === 429 || status >= 500;
}

/** Adopts the CSRF token of the current session; resolves with whether there is one. */
export async function renewToken(): Promise<boolean> {
  try {
    const response = await fetch(location.pathname);
    const [, token] = /data-form-token="([^"]+)"/.exec(await response.text()) ?? [];
    if (token === undefined || response.redirected) return false;
    document.body.dataset.formToken = token;
    return true;
  } catch {
    return false;
  }
}

/** The messages of a refusal, in the order of the reply. */
export function textsOf({ body }: ApiReply): string[] {
  const errors: { text?: string; message?: string }[] = [
    ...(body?.errors ?? []),
    ...(body?.operation_errors ?? []).flat(),
  ];
  return errors.flatMap(({ text, message }) => text ?? message ?? []);
}

/** Why a call failed: the user logs in again, retries, or corrects the input. */
export type Refusal =
  | { readonly is: 'signed out' | 'unreachable' }
  /** `why` is '' if the reply gives no reason. */
  | { readonly is: 'refused'; readonly why: string };

/** Classifies a failed call. */
export function refusalOf(reply: ApiReply): Refusal {
  if (reply.status === 401) return { is: 'signed out' };
  return isUnavailable(reply) ? { is: 'unreachable' } : { is: 'refused', why: textsOf(reply).join('. ') };
}

async function send(method: Method, path: string, sent: string | FormData | undefined): Promise<ApiReply> {
  const headers: Record<string, string> = { 'x-form-token': document.body.dataset.formToken ?? '' };
  if (typeof sent === 'string') headers['content-type'] = 'application/json';
  try {
    const response = await fetch(path, { method, headers, ...(sent !== undefined && { body: sent }) });
    const body = parsed(await response.text());
    return { status: response.status, body, retryAfter_s: Number(response.headers.get('retry-after') ?? 0) };
  } catch {
    return { status: 503, body: undefined, retryAfter_s: 0 };
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Maximum length of a displayed body; longer ones are uploads. */
const BODY_MAX = 2000;
/** Maximum number of displayed calls; the oldest are removed. */
const SHOWN_MAX = 50;
const added: HTMLElement[][] = [];

/** Adds a call to the list of calls on the page; `sent` is its body. Uploads are not displayed. */
function showCall(method: string, target: string, sent: string | FormData | undefined): void {
  const box = document.querySelector<HTMLElement>('details.calls');
  const [, environment, path, query = ''] = /^\/console\/api\/(production|sandbox)([^?]*)\??(.*)$/.exec(target) ?? [];
  if (!box || environment === undefined || path === undefined || sent instanceof FormData) return;
  if (sent !== undefined && sent.length > BODY_MAX) return;
  const call = {
    environment: environment as 'production' | 'sandbox',
    base_url: box.dataset.baseUrl!,
    method,
    path,
    parameters: Object.fromEntries(new URLSearchParams(query)),
    ...(sent !== undefined && { body: JSON.parse(sent) }),
  };
  const line = document.createElement('p');
  line.className = 'call';
  line.append(document.createElement('code'));
  line.firstElementChild!.textContent = `${method} ${path}`;
  const commands = [barkerCommand(call), curlCommand(call)].map((text) => {
    const pre = document.createElement('pre');
    pre.textContent = text;
    return pre;
  });
  const elements = [line, ...commands];
  box.append(...elements);
  added.push(elements);
  if (added.length > SHOWN_MAX) for (const each of added.shift()!) each.remove();
}
