import type { Reply } from './client.ts';

/** The outcome of a call in short: `ok`, or status and error code (in version 2 the problem type), as in `403/FORBIDDEN`. */
export function outcomeOf({ status, body }: Reply): string {
  const code = body?.errors?.[0]?.code ?? body?.type?.split('/').at(-1);
  return status === 200 ? 'ok' : `${status}/${code}`;
}

/** Makes calls one after the other and gives the outcome of each. */
export async function outcomesOf(...calls: (() => Promise<Reply>)[]): Promise<string[]> {
  const all: string[] = [];
  for (const call of calls) all.push(outcomeOf(await call()));
  return all;
}
