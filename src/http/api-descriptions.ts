import type { Operation } from '../contract/declare/operation.ts';
import { type DescribedService, openApiOf } from '../engine/describe.ts';
import { recordedReply } from './reference/worked-examples.ts';
import { etagOf, type Routes, type WholeReply } from './routes.ts';

/**
 * Adds the description of the API for programs: `/openapi.json`, which is made once the base URLs of both listeners are known.
 * @source decision 12
 */
export function addApiDescription(
  routes: Routes,
  operations: readonly Operation[],
  surroundings: () => DescribedService,
): void {
  let made: WholeReply | undefined;
  routes.get('/openapi.json', () => {
    const { servers } = surroundings();
    const now = made ?? openApiReply(operations, surroundings());
    if (servers.production !== '' && servers.sandbox !== '') made = now;
    return now;
  });
}

/** Builds a reply whose bytes all connections share; a string would be copied for each. */
function openApiReply(operations: readonly Operation[], service: DescribedService): WholeReply {
  const body = Buffer.from(JSON.stringify(openApiOf(operations, { ...service, replyOf: recordedReply })));
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-cache',
    etag: etagOf(body),
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
  };
  return { headers, body };
}
