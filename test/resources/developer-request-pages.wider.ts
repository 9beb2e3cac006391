// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dev, faultyClient } from '../rig/developer-surface.ts';
import { checkFit } from '../rig/fit-for-everybody.ts';
import { fill, textOf, worldInChromium } from '../rig/pages-in-chromium.ts';
import { openAccount } from '../rig/world.ts';

const pages = worldInChromium({ flags: { rate_limits: 'off' } });

const PATH = '/_dev/requests';

describe('the requests as pages', () => {
  test('are empty at first', async () => {
    await dev(pages.world, 'DELETE', PATH);
    const tab = await pages.at(`${PATH}?operation=none.*`);
    assert.match(await textOf(tab), /0 requests\s+There are none/);
    await checkFit(tab, 'requests empty');
    await tab.close();
  });

  test('are listed, lead to one, and are filtered', async () => {
    const { path } = await openAccount(pages.world.sandbox);
    const reply = await pages.world.sandbox.call('PUT', path, {
      params: { name: `A name of ${'many '.repeat(20)}words` },
    });
    assert.equal(reply.status, 200);
    await pages.world.production.call('GET', `/12/accounts/abc?q=${'x'.repeat(120)}`);
    const tab = await pages.at(PATH);
    assert.match(await textOf(tab), /PUT \/12\/accounts\/\w+\s+200 · accounts\.update · /);
    await checkFit(tab, 'requests list');
    await tab.look('document.querySelector("summary").focus()');
    await tab.leave(`${fill('status', '2xx')} document.querySelector('form button').click()`);
    assert.doesNotMatch(await textOf(tab), /abc/);
    await tab.leave('[...document.querySelectorAll("main ul a")].find((each) => /PUT/.test(each.textContent)).click()');
    const text = await textOf(tab);
    assert.match(text, /Operation\s+accounts\.update/);
    assert.match(text, /oauth_signature="\[redacted\]"/);
    await checkFit(tab, 'request');
    await tab.close();
  });

  test('show what a fault did, and lead to the trace of a refused signature', async () => {
    await dev(pages.world, 'DELETE', PATH);
    await dev(pages.world, 'POST', '/_dev/faults', {
      body: { id: 'lost', when: 'after', times: 1, do: { reset: true } },
    });
    await assert.rejects(faultyClient(pages.world).call('GET', '/12/accounts'));
    const headers = { authorization: 'OAuth oauth_consumer_key="x", oauth_token="y", oauth_signature="z"' };
    await (await fetch(`${pages.world.service.url}/12/accounts`, { headers })).arrayBuffer();
    const tab = await pages.at(`${PATH}?operation=accounts.list`);
    assert.match(await textOf(tab), /the connection closed before the reply was sent \(fault lost\)/);
    await checkFit(tab, 'requests faults');
    await tab.leave('document.querySelectorAll("main ul a")[1].click()');
    assert.match(await textOf(tab), /Fault\s+lost.*Reply\s+the connection closed/s);
    await checkFit(tab, 'request lost');
    await tab.close();
    const refused = await pages.at(PATH);
    await refused.leave(
      '[...document.querySelectorAll("main ul a")].find((each) => /accounts/.test(each.textContent)).click()',
    );
    await checkFit(refused, 'request refused');
    await refused.leave(
      '[...document.querySelectorAll("main a")].find((each) => /refused/.test(each.textContent)).click()',
    );
    assert.match(await textOf(refused), /Refused request/);
    await refused.close();
  });

  test('say what is wrong with a filter, and that a request is not known', async () => {
    const wrong = await pages.at(`${PATH}?status=x`);
    const text = await textOf(wrong);
    assert.match(text, /status must be like 404 or 4xx, not x\./);
    assert.doesNotMatch(text, /0 requests/);
    assert.equal(await wrong.look('document.querySelector("[aria-invalid]").id'), 'status');
    await checkFit(wrong, 'requests wrong filter');
    await wrong.close();
    const unknown = await pages.at(`${PATH}/none`);
    await checkFit(unknown, 'request unknown');
    await unknown.close();
  });
});
