// On either database: what a request wrote is read from the statements of both.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import { browserOf, formsOf, linkOf, type Seen, unescaped } from '../rig/browser.ts';
import { protocol } from '../rig/client.ts';
import { dev } from '../rig/developer-surface.ts';
import { openAccount, openWorld, type World } from '../rig/world.ts';

const PATH = '/_dev/workbench';

let world: World;
before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off' } });
});
after(() => world.close());

const at = (path: string): Promise<Seen> => browserOf(world.service.url).get(path.replace(/#.*/, ''));
/** The fields of the form of a request. */
const fieldsOf = ({ html }: Seen): Record<string, string> =>
  formsOf(html).find(({ method, action }) => method === 'post' && action === PATH)!.members;
const post = (fields: Record<string, string>, origin = world.service.url): Promise<Seen> =>
  browserOf(world.service.url).post(PATH, fields, { origin });

describe('the workbench', () => {
  test('finds operations by name, path and words', async () => {
    const found = async (search: string): Promise<string[]> => {
      const { html } = await at(`${PATH}?operation=${encodeURIComponent(search)}`);
      return [...html.matchAll(/href="\/_dev\/workbench\?operation=([\w.]+)"/g)].map(([, id]) => id!);
    };
    assert.deepEqual(await found('/line_items/placements'), ['line_items.placements']);
    assert.deepEqual(await found('purchase_order_number POST /12/accounts/:account_id/campaigns'), [
      'campaigns.create',
    ]);
    assert.deepEqual(await found('nothing like it'), []);
    assert.equal(fieldsOf(await at(`${PATH}?operation=campaigns.create`)).operation, 'campaigns.create');
  });

  test('sends what was entered, and its link fills in the form again', async () => {
    const { account, path } = await openAccount(world.sandbox);
    const entered = { p_account_id: account, p_name: 'A & B = 100 % $USD', more: 'colour=red\ncolour=blue' };
    const sent = await post({ operation: 'accounts.update', environment: 'sandbox', ...entered, act: 'send' });
    assert.equal(sent.status, 303);
    const page = await at(sent.location!);
    const { p_account_id, p_name, more, operation, signer } = fieldsOf(page);
    assert.deepEqual({ p_account_id, p_name, more }, entered);
    assert.deepEqual([operation, signer], ['accounts.update', 'Demo application/ada_demo']);
    const link = linkOf(page.html, 'Link to this request')!;
    assert.deepEqual(fieldsOf(await at(link)), fieldsOf(page));
    const id = new URL(sent.location!, world.service.url).searchParams.get('request');
    const { body } = await dev(world, 'GET', `/_dev/requests/${id}`);
    assert.equal(body.method, 'PUT');
    assert.equal(body.target, path);
    assert.equal(body.request.body, 'name=A+%26+B+%3D+100+%25+%24USD&colour=red&colour=blue');
    assert.equal(body.reply.status, 200);
    const snippets = unescaped(page.html);
    assert.ok(snippets.includes(`method, url = 'PUT', '${world.service.sandboxUrl}${path}'`));
    assert.ok(snippets.includes("['name', 'A & B = 100 % $USD']"));
    assert.ok(snippets.includes("-d 'colour=blue&colour=red&name=A%20%26%20B%20%3D%20100%20%25%20%24USD'"));
  });

  test('shows the signature before it is sent, and no secret', async () => {
    const { html } = await at(`${PATH}?operation=accounts.list&environment=production&p_count=2`);
    const base = /<h3>Base string<\/h3>\s*<pre[^>]*>([^<]*)/.exec(html)![1]!;
    const start = `GET&${encodeURIComponent(`${world.service.url}/12/accounts`)}&count%3D2%26oauth_consumer_key`;
    assert.ok(unescaped(base).startsWith(start), base);
    assert.match(html, /\[consumer secret of Demo application\]&#38;\[token secret\]/);
    const signature = /<section id="signature">.*?<\/section>/s.exec(html)![0];
    for (const secret of [world.keys.consumer_secret, world.keys.access_token_secret])
      assert.ok(!signature.includes(secret));
  });

  test('says what the path lacks, and sends nothing', async () => {
    const { count } = (await dev(world, 'GET', '/_dev/requests?operation=campaigns.list')).body;
    const { status, html } = await post({ operation: 'campaigns.list', act: 'send' });
    assert.equal(status, 400);
    assert.match(html, /<a href="#p_account_id">The path needs it\.<\/a>/);
    assert.equal((await dev(world, 'GET', '/_dev/requests?operation=campaigns.list')).body.count, count);
  });

  test('says why there is nothing to copy', async () => {
    const page = async (fields: Record<string, string>) =>
      (await at(`${PATH}?${new URLSearchParams({ operation: 'accounts.list', ...fields })}`)).html;
    const whole = await page({});
    assert.match(whole, /<summary>curl<\/summary>/);
    assert.match(unescaped(whole), /&oauth_token=/);
    for (const [more, why] of [
      ['oauth_token=unheard-of', 'no user here has this token, so its secret is not known'],
      ['oauth_consumer_key=unheard-of', 'no application here has this consumer key'],
    ] as const) {
      const html = await page({ more });
      assert.ok(html.includes(`The request cannot be signed: ${why}.`), html);
      assert.ok(html.includes(`There is no program to copy: ${why}.`), html);
      assert.doesNotMatch(html, /<summary>curl<\/summary>/);
    }
    const html = await page({ operation: 'campaigns.batch', p_account_id: 'abc', body: '[{' });
    assert.ok(html.includes('There is no program to copy: the body is not JSON.'), html);
  });

  test('takes no form of another site', async () => {
    const { status, html } = await post({ operation: 'accounts.create', act: 'send' }, 'https://elsewhere.test');
    assert.equal(status, 403);
    assert.match(html, /FOREIGN_ORIGIN/);
  });

  test('sends nothing secret in a link', async () => {
    const fields = { operation: 'oauth2.invalidate_token', p_access_token: 'a secret of somebody', act: 'send' };
    const { location } = await post(fields);
    assert.doesNotMatch(location!, /secret/);
    assert.doesNotMatch((await at(location!)).html, /a secret of somebody/);
  });
});

test('a refused request is reopened as it was sent, mended, and accepted', async () => {
  const { account } = await openAccount(world.sandbox);
  const url = `${world.service.sandboxUrl}/12/accounts/${account}?with_deleted=yes&colour=red`;
  const { header } = sign({
    ...{ method: 'GET', url, oauth: protocol(world.keys, world.clock) },
    ...{ consumerSecret: world.keys.consumer_secret, tokenSecret: 'another secret' },
  });
  const reply = await fetch(url, { headers: { authorization: header } });
  assert.equal(reply.status, 401);
  const seen = await at(`/_dev/requests/${reply.headers.get('x-barker-trace')}`);
  const page = await at(linkOf(seen.html, 'Edit and resend')!);
  assert.match(page.html, /<strong class="failed">401\.<\/strong>/);
  assert.match(page.html, /<strong>Wrong\.<\/strong>/);
  const fields = fieldsOf(page);
  assert.deepEqual(
    [fields.operation, fields.environment, fields.p_account_id, fields.p_with_deleted, fields.more, fields.signer],
    ['accounts.get', 'sandbox', account, 'yes', 'colour=red', 'Demo application/ada_demo'],
  );
  const again = await post({ ...fields, act: 'send' });
  const refused = (await at(again.location!)).html;
  assert.match(refused, /<strong class="failed">400\.<\/strong>/);
  assert.match(refused, /role="alert".*The server refused these parameters:.*<a href="#p_with_deleted">Expected/s);
  assert.match(refused, /id="p_with_deleted-fault">Expected .* aria-invalid="true"/s);
  const mended = await post({ ...fields, p_with_deleted: 'true', more: '', act: 'send' });
  assert.match((await at(mended.location!)).html, /<strong class="delivered">200\.<\/strong>/);
});

test('what a request caused is shown: rows, and the log', async () => {
  const { path, account } = await openAccount(world.sandbox);
  const { headers } = await world.sandbox.call('PUT', path, { params: { name: 'Spring' } });
  const id = headers.get('x-transaction-id')!;
  const { html } = await at(`${PATH}?request=${id}`);
  assert.match(
    html,
    new RegExp(`<span class="whole">accounts</span></th><td>updated</td><td><a href="/_dev/data\\?id=${account}"`),
  );
  assert.match(unescaped(html), new RegExp(`"transaction_id":"${id}"`));
});

test('events of a request are shown', async () => {
  const { headers } = await world.production.call('POST', '/1.1/account/update_profile', {
    params: { description: 'Sails at dawn.' },
  });
  const { html } = await at(`${PATH}?request=${headers.get('x-transaction-id')}`);
  assert.match(html, new RegExp(`<th scope="row">profile.update.bio</th><td>${world.keys.user_id}</td>`));
});

describe('the data explorer', () => {
  test('shows rows of any account, filters them, and follows references', async () => {
    const { account } = await openAccount(world.sandbox);
    const { body } = await world.sandbox.call('POST', `/12/accounts/${account}/funding_instruments`, {
      params: { type: 'CREDIT_CARD', currency: 'USD', start_time: '2026-01-01T00:00:00Z' },
    });
    const instrument = body.data.id as string;
    const made = await world.sandbox.call('POST', `/12/accounts/${account}/campaigns`, {
      params: { name: 'Spring', funding_instrument_id: instrument, daily_budget_amount_local_micro: 1_000_000 },
    });
    const campaign = made.body.data.id as string;
    const { html } = await at(`/_dev/data?account=${account}`);
    const link = linkOf(html, 'resource=campaigns')!;
    assert.equal(link, `/_dev/data?resource=campaigns&field=account_id&value=${account}`);
    const list = await at(link);
    assert.equal(linkOf(list.html, `id=${campaign}`), `/_dev/data?resource=campaigns&id=${campaign}`);
    const row = await at(`/_dev/data?id=${campaign}`);
    assert.match(row.html, /<dt>name<\/dt><dd>Spring<\/dd>/);
    const target = linkOf(row.html, instrument)!;
    assert.equal(target, `/_dev/data?resource=funding_instruments&id=${instrument}`);
    const referring = linkOf((await at(target)).html, '1 campaigns by funding_instrument_id')!;
    assert.match((await at(referring)).html, new RegExp(`id=${campaign}"`));
    const none = await at('/_dev/data?resource=campaigns&field=name&value=Autumn');
    assert.match(none.html, /There are no rows\./);
    const unknown = await at('/_dev/data?id=none');
    assert.equal(unknown.status, 404);
  });
});
