import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { runInNewContext } from 'node:vm';

const [, SCRIPT] = /\nconst SCRIPT = `\n([\s\S]*?)`;\n/.exec(
  readFileSync('examples/publisher-node/publisher.mjs', 'utf8'),
)!;

interface Element {
  readonly name: string;
  readonly dataset: Record<string, string>;
  readonly children: Element[];
}

interface Page {
  /** Requests but for the ads. */
  readonly requested: string[];
  /** Shows a part of the ad, from 0 to 1. */
  show(part: number): void;
  /** Lets time pass. */
  pass(ms: number): void;
}

/** A page of a publisher that shows one ad with a picture or a video. */
async function openPage(type: 'IMAGE' | 'VIDEO'): Promise<Page> {
  const requested: string[] = [];
  let now_ms = 0;
  let timers: { readonly at_ms: number; readonly action: () => void }[] = [];
  let observe = (_entries: readonly unknown[]): void => {};
  const observed = new Set<Element>();
  const createElement = (name: string) => {
    const children: Element[] = [];
    return {
      ...{ name, dataset: {}, children },
      append: (...added: Element[]) => void children.push(...added),
      querySelector: (wanted: string) => children.find((child) => child.name === wanted) ?? null,
    };
  };
  const root = createElement('div');
  const creative = { type: 'post', author: { name: 'Cafe' }, text: 'Coffee', media: [{ type, url: '/media' }] };
  await runInNewContext(`(async () => {${SCRIPT}})()`, {
    IntersectionObserver: class {
      constructor(callback: typeof observe, { threshold }: { threshold: number }) {
        assert.equal(threshold, 0.5);
        observe = callback;
      }
      observe = (element: Element) => void observed.add(element);
      unobserve = (element: Element) => void observed.delete(element);
    },
    document: { createElement, getElementById: () => root },
    setTimeout(action: () => void, ms: number) {
      const timer = { at_ms: now_ms + ms, action };
      timers.push(timer);
      return timer;
    },
    clearTimeout(timer: unknown) {
      timers = timers.filter((each) => each !== timer);
    },
    async fetch(url: string) {
      if (url !== '/ads.json') requested.push(url);
      return { json: async () => [{ creative, impression_url: '/seen', click_url: '/clicked' }] };
    },
  });
  return {
    requested,
    show(part) {
      for (const target of observed) observe([{ target, intersectionRatio: part, isIntersecting: part > 0 }]);
    },
    pass(ms) {
      now_ms += ms;
      const due = timers.filter(({ at_ms }) => at_ms <= now_ms);
      timers = timers.filter(({ at_ms }) => at_ms > now_ms);
      for (const { action } of due) action();
    },
  };
}

describe('the page of examples/publisher-node reports a view', () => {
  for (const [type, needed_ms] of [
    ['IMAGE', 1000],
    ['VIDEO', 2000],
  ] as const) {
    test(`of an ad with a ${type} once half of it was visible for ${needed_ms} ms without a break`, async () => {
      const page = await openPage(type);
      page.show(0.4);
      page.pass(5000);
      page.show(0.5);
      page.pass(needed_ms - 1);
      page.show(0.3);
      page.pass(1);
      page.show(1);
      page.pass(needed_ms - 1);
      assert.deepEqual(page.requested, []);
      page.pass(1);
      assert.deepEqual(page.requested, ['/seen']);
      page.show(0);
      page.show(1);
      page.pass(5000);
      assert.deepEqual(page.requested, ['/seen'], 'once');
    });
  }
});
