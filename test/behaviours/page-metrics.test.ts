// On either database: what is tried here is decided before the database is asked.
// Of one node: each has metrics of its own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserOf } from '../rig/browser.ts';
import { openWorld } from '../rig/world.ts';

test('visits of pages are counted by page, method and status, never by what was requested', async () => {
  const world = await openWorld();
  try {
    const { url, sandboxUrl } = world.service;
    await browserOf(url).get('/login?screen_name=hunter2');
    await browserOf(sandboxUrl).get('/login');
    await browserOf(url).get('/oauth/authorize?oauth_token=hunter2');
    await browserOf(url).post('/login', {});
    await fetch(`${url}/login`, { method: 'PUT' });
    await fetch(`${url}/login`, { method: 'OPTIONS' });
    const metrics = await (await fetch(`${url}/metrics`)).text();
    const counted = metrics.split('\n').filter((line) => line.startsWith('barker_page_visits_total{'));
    assert.deepEqual(counted.sort(), [
      'barker_page_visits_total{route="/login",method="GET",status="200"} 2',
      'barker_page_visits_total{route="/login",method="POST",status="403"} 1',
      'barker_page_visits_total{route="/login",method="other",status="204"} 1',
      'barker_page_visits_total{route="/login",method="other",status="405"} 1',
      'barker_page_visits_total{route="/oauth/authorize",method="GET",status="403"} 1',
    ]);
    assert.ok(!metrics.includes('hunter2'));
  } finally {
    await world.close();
  }
});
