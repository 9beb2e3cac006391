import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { runInNewContext } from 'node:vm';

const SCRIPT = readFileSync(new URL('../../src/http/measurement/tag.js', import.meta.url), 'utf8');
const NOW_MS = Date.parse('2026-03-02T17:04:55Z');
const DAY_MS = 86_400_000;

type Event = Record<string, unknown>;

/** A page of a website as the script sees it. */
interface Page {
  readonly sent: { readonly url: string; readonly event: Event; readonly by: 'beacon' | 'fetch' }[];
  readonly stored: Map<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: the page calls it with whatever it has
  readonly window: Record<string, any>;
  /** Includes the script, as a page does for each event. */
  include(data?: { websiteTagId?: string; eventId?: string }): void;
}

function openPage({
  search = '',
  stored = new Map<string, string>(),
  now_ms = NOW_MS,
  hasBeacons = true,
  hasStorage = true,
} = {}): Page {
  const sent: Page['sent'] = [];
  const window: Page['window'] = {};
  const take = (by: 'beacon' | 'fetch', url: string, body: string) => sent.push({ url, event: JSON.parse(body), by });
  let uuids = 0;
  const forbidden = () => {
    throw new Error('storage is forbidden');
  };
  const storage = {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
    removeItem: (key: string) => stored.delete(key),
  };
  return {
    sent,
    stored,
    window,
    include(dataset = { websiteTagId: '18ce', eventId: 'o2n4' }) {
      runInNewContext(SCRIPT, {
        window,
        URL,
        URLSearchParams,
        Date: { now: () => now_ms },
        crypto: { randomUUID: () => `uuid-${++uuids}` },
        location: { search },
        localStorage: hasStorage ? storage : { getItem: forbidden, setItem: forbidden, removeItem: forbidden },
        document: { currentScript: { src: 'https://ads.example/measurement/tag.js', dataset } },
        navigator: {
          sendBeacon: (url: string, body: string) => hasBeacons && take('beacon', url, body) > 0,
        },
        fetch: async (url: string, { body }: { body: string }) => void take('fetch', url, body),
      });
    },
  };
}

const FIRST = { website_tag_id: '18ce', event_id: 'o2n4', conversion_id: 'uuid-1' };

describe('the script of website tags', () => {
  test('reports the event of the page, with the click that led to it', () => {
    const page = openPage({ search: '?a=1&click_id=k1.abc_-' });
    page.include();
    const event = { ...FIRST, click_id: 'k1.abc_-' };
    assert.deepEqual(page.sent, [{ url: 'https://ads.example/measurement/events', event, by: 'beacon' }]);
  });

  test('remembers the click on later pages, in the storage of the website, for 90 days', () => {
    const landing = openPage({ search: '?click_id=first' });
    landing.include();
    const { stored } = landing;
    const later = openPage({ stored, now_ms: NOW_MS + 90 * DAY_MS });
    later.include();
    assert.equal(later.sent[0]!.event.click_id, 'first');
    const second = openPage({ stored, search: '?click_id=second' });
    second.include();
    assert.equal(second.sent[0]!.event.click_id, 'second');
    const late = openPage({ stored, now_ms: NOW_MS + 90 * DAY_MS + 1 });
    late.include();
    assert.deepEqual(late.sent[0]!.event, FIRST);
    assert.equal(stored.size, 0);
  });

  test('knows the click of the landing page where storage is forbidden, and needs no beacons', () => {
    const page = openPage({ search: '?click_id=x', hasStorage: false, hasBeacons: false });
    page.include();
    assert.deepEqual(
      page.sent.map(({ event, by }) => [event.click_id, by]),
      [['x', 'fetch']],
    );
  });

  test('sends what the page tells, also before the script was loaded, and nothing else', () => {
    const page = openPage();
    const early: { (...call: unknown[]): void; queue?: unknown[][] } = (...call) => {
      early.queue = [...(early.queue ?? []), call];
    };
    page.window.eventTag = early;
    early('event', 'o2n5', {
      value: '29.90',
      price_currency: 'EUR',
      number_items: 2,
      conversion_id: 'order-1',
      email: 'x',
    });
    page.include({ websiteTagId: '18ce' });
    page.window.eventTag('event', 'o2n6');
    page.window.eventTag('unknown', 'o2n7');
    assert.deepEqual(
      page.sent.map(({ event }) => event),
      [
        {
          ...{ website_tag_id: '18ce', event_id: 'o2n5', conversion_id: 'order-1' },
          ...{ value: '29.90', price_currency: 'EUR', number_items: 2 },
        },
        { ...FIRST, event_id: 'o2n6', conversion_id: 'uuid-2' },
      ],
    );
  });

  test('included for several events, reports each once', () => {
    const page = openPage();
    page.include();
    page.include({ websiteTagId: '18ce', eventId: 'o2n5' });
    assert.deepEqual(
      page.sent.map(({ event }) => event.event_id),
      ['o2n4', 'o2n5'],
    );
  });
});
