import { createHmac, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import OAuth from 'oauth-1.0a';

const { ADS_URL, CONSUMER_KEY, CONSUMER_SECRET, PORT = '9911', HOST = '127.0.0.1' } = process.env;
const SITE_URL = process.env.SITE_URL ?? `http://127.0.0.1:${PORT}`;
// Where browsers reach the server, if that is not where this program does.
const PUBLIC_ADS_URL = process.env.PUBLIC_ADS_URL ?? ADS_URL;

const oauth = new OAuth({
  consumer: { key: CONSUMER_KEY, secret: CONSUMER_SECRET },
  signature_method: 'HMAC-SHA1',
  hash_function: (base, key) => createHmac('sha1', key).update(base).digest('base64'),
});

/** Sends a signed request. @throws Error with the reply if its status is not 200 */
async function call(method, path, { token, data = {} } = {}) {
  const url = ADS_URL + path;
  const headers = oauth.toHeader(oauth.authorize({ method, url, data }, token));
  const response = await fetch(url, { method, headers: { ...headers } });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text;
}

const readJson = async (path, token) => JSON.parse(await call('GET', path, { token }));

/** By the id in the cookie: a request token during a login, then the access token and the name of the user. */
const sessions = new Map();

function startSession(response, contents) {
  const id = randomBytes(24).toString('base64url');
  sessions.set(id, contents);
  const secure = SITE_URL.startsWith('https:') ? '; Secure' : '';
  response.setHeader('set-cookie', `session=${id}; Path=/; HttpOnly; SameSite=Lax; Max-Age=3600${secure}`);
}

const sessionId = (request) => /(?:^|; )session=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1];
const redirect = (response, location) => response.writeHead(303, { location }).end();

function send(response, status, body) {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; form-action 'self'",
  });
  response.end(`<!doctype html><html lang="en"><title>Campaigns</title><h1>Campaigns</h1>${body}</html>`);
}

const escape = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
const SIGN_IN = '<form method="post" action="/sign-in"><button>Sign in</button></form>';

const PAGES = {
  async 'GET /'(request, response) {
    const { user, token } = sessions.get(sessionId(request)) ?? {};
    if (!user) return send(response, 200, SIGN_IN);
    const { data: accounts } = await readJson('/12/accounts', token);
    const parts = accounts.map(async ({ id, name }) => {
      const { data } = await readJson(`/12/accounts/${id}/campaigns`, token);
      const items = data.map((each) => `<li>${escape(each.name)}: ${each.effective_status}</li>`);
      return `<h2>${escape(name)}</h2><ul>${items.join('')}</ul>`;
    });
    const signOut = '<form method="post" action="/sign-out"><button>Sign out</button></form>';
    send(response, 200, `<p>Signed in as ${escape(user)}</p>${(await Promise.all(parts)).join('')}${signOut}`);
  },

  async 'POST /sign-in'(_request, response) {
    const data = { oauth_callback: `${SITE_URL}/callback` };
    const reply = new URLSearchParams(await call('POST', '/oauth/request_token', { data }));
    const key = reply.get('oauth_token');
    startSession(response, { pending: { key, secret: reply.get('oauth_token_secret') } });
    redirect(response, `${PUBLIC_ADS_URL}/oauth/authenticate?oauth_token=${key}`);
  },

  async 'GET /callback'(request, response, query) {
    const id = sessionId(request);
    const { pending } = sessions.get(id) ?? {};
    sessions.delete(id);
    // The login must end in the browser in which it began.
    const key = query.get('oauth_token') ?? query.get('denied');
    if (!pending || pending.key !== key) return send(response, 400, `<p>This login has expired.</p>${SIGN_IN}`);
    if (query.has('denied')) return send(response, 200, `<p>You did not sign in.</p>${SIGN_IN}`);
    const data = { oauth_verifier: query.get('oauth_verifier') };
    const reply = new URLSearchParams(await call('POST', '/oauth/access_token', { token: pending, data }));
    const token = { key: reply.get('oauth_token'), secret: reply.get('oauth_token_secret') };
    // A new id, so that nobody can prepare the session of somebody else.
    startSession(response, { token, user: reply.get('screen_name') });
    redirect(response, '/');
  },

  async 'POST /sign-out'(request, response) {
    sessions.delete(sessionId(request));
    redirect(response, '/');
  },
};

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url, SITE_URL);
  const page = PAGES[`${request.method} ${pathname}`];
  if (!page) return send(response, 404, '<p>There is no such page.</p>');
  try {
    await page(request, response, searchParams);
  } catch (error) {
    console.error(error);
    send(response, 502, `<p>The advertising server did not answer as expected. Try again later.</p>${SIGN_IN}`);
  }
});
server.listen(Number(PORT), HOST, () => console.log(`Open ${SITE_URL}/`));
