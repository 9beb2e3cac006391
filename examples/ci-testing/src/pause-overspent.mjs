import { createHmac } from 'node:crypto';
import OAuth from 'oauth-1.0a';

/** Signed requests with these keys, repeated while the server is unavailable. */
export function createClient(url, keys, { attempts = 3 } = {}) {
  const oauth = new OAuth({
    consumer: { key: keys.consumer_key, secret: keys.consumer_secret },
    signature_method: 'HMAC-SHA1',
    hash_function: (base, key) => createHmac('sha1', key).update(base).digest('base64'),
  });
  const token = { key: keys.access_token, secret: keys.access_token_secret };
  return async function call(method, path, query = {}) {
    const target = new URL(path, url);
    target.search = new URLSearchParams(query);
    for (let attempt = 1; ; attempt += 1) {
      // A repeated request has a signature of its own.
      const headers = { ...oauth.toHeader(oauth.authorize({ method, url: target.href }, token)) };
      const response = await fetch(target, { method, headers });
      const body = await response.json();
      if (response.ok) return body.data;
      if (response.status !== 503 || attempt === attempts) throw new Error(`${method} ${path}: ${response.status}`);
    }
  };
}

/** Pauses the campaigns that spent more than a limit in a range of days; returns their names. */
export async function pauseOverspent(call, account, { limit_micro, start_time, end_time }) {
  const path = `/12/accounts/${account}/campaigns`;
  const campaigns = (await call('GET', path, { count: 20 })).filter((each) => each.entity_status === 'ACTIVE');
  if (campaigns.length === 0) return [];
  const query = { entity: 'CAMPAIGN', entity_ids: campaigns.map(({ id }) => id).join(','), start_time, end_time };
  const measured = { metric_groups: 'BILLING', granularity: 'TOTAL', placement: 'ALL_ON_SERVICE' };
  const stats = await call('GET', `/12/stats/accounts/${account}`, { ...query, ...measured });
  const spent = new Map(stats.map(({ id, id_data: [{ metrics }] }) => [id, metrics.billed_charge_local_micro?.[0] ?? 0]));
  const overspent = campaigns.filter(({ id }) => spent.get(id) > limit_micro);
  for (const { id } of overspent) await call('PUT', `${path}/${id}`, { entity_status: 'PAUSED' });
  return overspent.map(({ name }) => name);
}
