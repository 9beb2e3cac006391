// On either database: clients know nothing of it.
import { createHmac } from 'node:crypto';
import OAuth from 'oauth-1.0a';
import { type StartClient, strictly, withQuery } from './foreign.ts';
import { tellStory } from './story.ts';

/** The npm package `oauth-1.0a`: it makes the header, `fetch` sends the request. */
const start: StartClient = async (keys) => {
  const oauth = new OAuth({
    consumer: { key: keys.consumer_key, secret: keys.consumer_secret },
    signature_method: 'HMAC-SHA1',
    hash_function: (base, key) => createHmac('sha1', key).update(base).digest('base64'),
  });
  const token = { key: keys.access_token, secret: keys.access_token_secret };
  return {
    async send(method, url, { query, form, json }) {
      const asked = withQuery(url, query);
      const signed = oauth.authorize({ url: asked, method, data: form }, token);
      const type = form ? 'application/x-www-form-urlencoded' : json === undefined ? undefined : 'application/json';
      const response = await fetch(asked, {
        method,
        headers: { ...oauth.toHeader(signed), ...(type && { 'content-type': type }) },
        body: form ? strictly(form) : json === undefined ? null : JSON.stringify(json),
      });
      return { status: response.status, text: await response.text() };
    },
    async close() {},
  };
};

tellStory('oauth-1.0a', start);
