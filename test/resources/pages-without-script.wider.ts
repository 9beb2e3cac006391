// On either database: pages ask the same of both.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { type Chromium, startChromium, type Tab } from '../rig/chromium.ts';
import { demoAccount, ownerOf } from '../rig/demo.ts';
import { operatorToken } from '../rig/operator.ts';
import { pagesOf } from '../rig/pages.ts';
import { openInside } from '../rig/pages-in-chromium.ts';
import { openWorld, type World } from '../rig/world.ts';

/** What every page offers where no script runs. Made anew with `SNAPSHOTS=write`. */
const FILE = new URL('pages-without-script.txt', import.meta.url);

let world: World;
let chromium: Chromium;
let account: string;

before(async () => {
  world = await openWorld({ flags: { rate_limits: 'off', operator_console: true, operations_port: 0 } });
  account = await demoAccount(world);
  chromium = await startChromium();
});
after(async () => {
  await chromium?.close();
  await world.close();
});

/** The headings, fields, buttons, columns and folded parts of a page, in order; equal ones once, with their number. */
const OUTLINE = `[...document.querySelectorAll(
    'main :is(h1, h2, h3, legend, summary, label, button, th[scope=col], a.main, a.button), nav.tabs')].flatMap((each) => {
  if (!each.checkVisibility() && !each.closest('details')) return [];
  const text = each.innerText?.trim() || each.textContent.trim();
  const said = text.replaceAll(/\\s+/g, ' ');
  if (each.matches('nav')) return 'links: ' + [...each.querySelectorAll('a')].map((link) => link.textContent).join(' | ');
  if (each.matches('label')) {
    const box = document.getElementById(each.htmlFor) ?? each.querySelector('input');
    return 'field: ' + said + ' (' + (box?.tagName === 'SELECT' ? 'choice' : box?.type ?? 'none') + ')';
  }
  const kind = { A: 'link', BUTTON: 'button', TH: 'column', SUMMARY: 'folded', LEGEND: 'fields' }[each.tagName];
  return (kind ?? each.tagName.toLowerCase()) + ': ' + said;
})`;

async function outlineOf(tab: Tab): Promise<string> {
  assert.equal(await tab.look("document.querySelectorAll('noscript').length"), 0);
  const lines: string[] = await tab.look(OUTLINE);
  const runs: [line: string, count: number][] = [];
  for (const line of lines) {
    const same = runs.find(([each]) => each === line);
    if (same) same[1] += 1;
    else runs.push([line, 1]);
  }
  return runs.map(([line, count]) => (count === 1 ? line : `${line} (several)`)).join('\n');
}

test('every page offers the same where no script runs', async () => {
  const paths = await pagesOf(world, account);
  const inside = await openInside(chromium, world, '/ads', ownerOf(world));
  const { operationsUrl } = world.service;
  const operator = await chromium.tab();
  const token = await operatorToken(world.service, 'anna');
  await operator.open(`${operationsUrl}/operator/sign-in?token=${token}`);
  await operator.leave("document.querySelector('button').click()");
  for (const tab of [inside, operator]) await tab.send('Emulation.setScriptExecutionDisabled', { value: true });
  const found: string[] = [];
  for (const [name, path] of paths) {
    await inside.open(world.service.url + path);
    found.push(`# ${name}\n${await outlineOf(inside)}\n`);
  }
  for (const path of [
    '',
    '/users',
    `/users/${world.keys.user_id}`,
    '/accounts',
    `/accounts/${account}`,
    '/applications',
    '/publishers',
    '/sessions',
    '/audit',
  ]) {
    await operator.open(`${operationsUrl}/operator${path}`);
    const outline = await outlineOf(operator);
    // What waits at this moment differs.
    const stable = path === '' ? outline.replaceAll(/\ncolumn: .*/g, '') : outline;
    found.push(`# operator: ${path.replace(/\/\w*\d\w*/, '/one') || '/'}\n${stable}\n`);
  }
  const text = found.join('\n');
  if (process.env.SNAPSHOTS === 'write') writeFileSync(FILE, text);
  assert.equal(text, readFileSync(FILE, 'utf8'));
});
