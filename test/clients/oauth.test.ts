// On either database: clients know nothing of it.
import { OAuth } from 'oauth';
import { type Answered, type StartClient, withQuery } from './foreign.ts';
import { tellStory } from './story.ts';

/** The npm package `oauth`: it signs and sends. */
const start: StartClient = async (keys) => {
  const oauth = new OAuth(null, null, keys.consumer_key, keys.consumer_secret, '1.0', null, 'HMAC-SHA1');
  const [token, secret] = [keys.access_token, keys.access_token_secret];
  return {
    send(method, url, { query, form, json }) {
      const asked = withQuery(url, query);
      const body = json === undefined ? form : JSON.stringify(json);
      const type = json === undefined ? undefined : 'application/json';
      return new Promise<Answered>((resolve, reject) => {
        const done = (error: unknown, text: string, response?: { statusCode: number }): void =>
          response ? resolve({ status: response.statusCode, text }) : reject(error);
        if (method === 'GET') oauth.get(asked, token, secret, done);
        else if (method === 'DELETE') oauth.delete(asked, token, secret, done);
        else if (method === 'PUT') oauth.put(asked, token, secret, body, type, done);
        else oauth.post(asked, token, secret, body, type, done);
      });
    },
    async close() {},
  };
};

tellStory('oauth', start);
