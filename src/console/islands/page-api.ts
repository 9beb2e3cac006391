/** The reply to a call, or why there is none. */
export type ApiReply =
  // biome-ignore lint/suspicious/noExplicitAny: each operation has its own shape
  | { readonly outcome: 'answered'; readonly status: number; readonly body: any; readonly retryAfter_s: number }
  /** Nothing is known of what became of it. */
  | { readonly outcome: 'unreachable' };

/** Calls an operation for the user of the page; `path` begins with `/console/api/`. */
export async function callApi(
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  json?: string,
): Promise<ApiReply> {
  const headers: Record<string, string> = { 'x-form-token': document.body.dataset.formToken ?? '' };
  if (json !== undefined) headers['content-type'] = 'application/json';
  try {
    const response = await fetch(path, { method, headers, ...(json !== undefined && { body: json }) });
    const text = await response.text();
    const retryAfter_s = Number(response.headers.get('retry-after') ?? 0);
    return { outcome: 'answered', status: response.status, body: parsed(text), retryAfter_s };
  } catch {
    return { outcome: 'unreachable' };
  }
}

/** Takes over the token of the session after a login in another tab. Whether there is a session. */
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
// biome-ignore lint/suspicious/noExplicitAny: a proxy may have answered in its own way
export function messagesOf(body: any): string[] {
  const errors: { message?: string }[] = [...(body?.errors ?? []), ...(body?.operation_errors ?? []).flat()];
  return errors.flatMap(({ message }) => message ?? []);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
