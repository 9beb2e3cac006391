import type { Reply } from './client.ts';

/** Status and code; in version 2 the type. */
export function said({ status, body }: Reply): string {
  const code = body?.errors?.[0]?.code ?? body?.type?.split('/').at(-1);
  return status === 200 ? 'ok' : `${status}/${code}`;
}

/** Several replies one after the other, as they are said. */
export async function inTurn(...calls: (() => Promise<Reply>)[]): Promise<string[]> {
  const all: string[] = [];
  for (const call of calls) all.push(said(await call()));
  return all;
}
