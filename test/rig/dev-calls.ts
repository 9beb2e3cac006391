import { request } from 'undici';

/** A reply of the surface for developers. */
export interface DevReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
  readonly body: any;
}

/** Calls the surface for developers of a service. */
export async function devCall(
  { service }: { readonly service: { readonly url: string } },
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<DevReply> {
  const reply = await request(`${service.url}/_dev${path}`, {
    method,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  });
  return { status: reply.statusCode, headers: reply.headers, body: await reply.body.json() };
}
