// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { request } from 'undici';
import { sign } from '../../src/features/auth/oauth1/signature.ts';
import type { Tab } from '../rig/chromium.ts';
import { protocol } from '../rig/client.ts';
import { checkFit } from '../rig/fit-for-everybody.ts';
import { fill, textOf, worldInChromium } from '../rig/pages-in-chromium.ts';

const pages = worldInChromium({ flags: { rate_limits: 'off' } });

const PATH = '/_dev/debugger';
const TARGET = '/12/accounts?with_deleted=true&q=a%20rather%20long%20text%20(with%20signs)';

/** A curl command whose signature leaves out the port. */
function wrongCommand(): string {
  const url = pages.world.service.url + TARGET;
  const { header } = sign({
    ...{ method: 'GET', url: url.replace(/:\d+/, ''), oauth: protocol(pages.world.keys, pages.world.clock) },
    ...{ consumerSecret: pages.world.keys.consumer_secret, tokenSecret: pages.world.keys.access_token_secret },
  });
  return `curl '${url}' -H 'Authorization: ${header}'`;
}

/** Presses the button of a form by its place on the page. */
const submit = (tab: Tab, form: number, filling: string): Promise<void> =>
  tab.leave(`${filling} document.forms[${form}].querySelector('button').click()`);

describe('the debugger of signatures as a page', () => {
  test('is empty at first', async () => {
    const tab = await pages.at(PATH);
    assert.match(await textOf(tab), /No request was refused/);
    await checkFit(tab, 'debugger empty');
    await tab.close();
  });

  test('explains a command, with what was entered', async () => {
    const tab = await pages.at(PATH);
    await submit(tab, 0, fill('curl', wrongCommand()));
    const text = await textOf(tab);
    assert.match(text, /Wrong\. The URL was signed without its port\./);
    assert.match(text, /port-left-out/);
    assert.equal(await tab.look('document.getElementById("curl").value.startsWith("curl ")'), true);
    await checkFit(tab, 'debugger wrong');
    await tab.close();
  });

  test('explains the parts of a request, by keyboard', async () => {
    const tab = await pages.at(PATH);
    await tab.look('document.querySelector("summary").focus()');
    await tab.press('Enter');
    for (const text of ['', 'GET', pages.world.service.url + TARGET, 'Bearer AAAA']) {
      await tab.type(text);
      await tab.press('Tab');
    }
    await submit(tab, 1, '');
    assert.match(await textOf(tab), /The credentials cannot be read: |No application has this bearer token/);
    await checkFit(tab, 'debugger parts');
    await tab.close();
  });

  test('says what cannot be read', async () => {
    const tab = await pages.at(PATH);
    await submit(tab, 0, fill('curl', 'wget http://localhost/'));
    assert.match(await textOf(tab), /The request cannot be read: the command does not begin with curl\./);
    await checkFit(tab, 'debugger unreadable');
    await tab.close();
  });

  test('lists refused requests, which lead to their traces', async () => {
    const [, url, header] = /'(.*)' -H 'Authorization: (.*)'/.exec(wrongCommand())!;
    for (const authorization of [header!, 'Bearer AAAA']) {
      const reply = await request(url!, { headers: { authorization } });
      await reply.body.dump();
      assert.equal(reply.statusCode, 401);
    }
    const tab = await pages.at(PATH);
    await checkFit(tab, 'debugger list');
    await tab.leave('document.querySelectorAll("main ul a")[1].click()');
    assert.match(await textOf(tab), /The URL was signed without its port\./);
    await checkFit(tab, 'debugger trace');
    await tab.close();
  });

  test('says that a trace is not known', async () => {
    const tab = await pages.at(`${PATH}/traces/none`);
    await checkFit(tab, 'debugger unknown');
    await tab.close();
  });
});
