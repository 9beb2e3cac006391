import assert from 'node:assert/strict';
import type { Tab } from './chromium.ts';

/** How a person uses a page: elements are found by what they say, fields by their id. */
export interface Hands {
  /** Presses what has a text and stays on the page; `what` is a selector, by default of all that can be pressed. */
  press(text: string, what?: string): Promise<void>;
  /** Presses what leads to another page. */
  follow(text: string, what?: string): Promise<void>;
  /** Replaces what stands in a field. */
  write(id: string, text: string): Promise<void>;
  /** Chooses from a list by the beginning of what it says. */
  pick(id: string, text: string): Promise<void>;
}

/** Puts the focus on an element, or presses it; both are given as expressions about an element `each`. */
type Reach = (is: string, wanted: string) => Promise<void>;

/** Where to click on an element, given as an expression about `each`. */
export async function placeOf(
  tab: Tab,
  is: string,
  wanted: string,
): Promise<{ readonly x: number; readonly y: number }> {
  const place = await tab.look(`(() => {
      const found = [...document.querySelectorAll('a, button, summary, input, textarea, label')]
        .find((each) => each.checkVisibility() && ${is});
      found?.scrollIntoView({ block: 'center' });
      const box = found?.getBoundingClientRect();
      return box && { x: box.x + Math.min(box.width / 2, 40), y: box.y + box.height / 2 };
    })()`);
  assert.ok(place, `nothing to click: ${wanted}`);
  return place;
}

/** The hands of somebody who uses the mouse for everything but to type. */
export function mouseHands(tab: Tab): Hands {
  const click: Reach = async (is, wanted) => {
    const place = await placeOf(tab, is, wanted);
    const button = { ...place, button: 'left', clickCount: 1 };
    await tab.send('Input.dispatchMouseEvent', { type: 'mousePressed', ...button });
    await tab.send('Input.dispatchMouseEvent', { type: 'mouseReleased', ...button });
  };
  return handsOf(tab, {
    press: click,
    focusField: (id) => click(`each.id === '${id}'`, id),
    // The label gives a list the focus without opening it.
    focusList: (id) => click(`each.htmlFor === '${id}'`, id),
  });
}

/** The hands of somebody who uses no mouse. */
export function keyHands(tab: Tab): Hands {
  const focus: Reach = async (is, wanted) => {
    for (let tries = 0; tries < 200; tries++) {
      await tab.press('Tab');
      if (await tab.look(`((each) => ${is})(document.activeElement)`)) return;
    }
    assert.fail(`no way with keys: ${wanted}`);
  };
  const focusId = (id: string) => focus(`each.id === '${id}'`, id);
  return handsOf(tab, {
    async press(is, wanted) {
      await focus(is, wanted);
      await tab.press('Enter');
    },
    ...{ focusField: focusId, focusList: focusId },
  });
}

interface Means {
  readonly press: Reach;
  focusField(id: string): Promise<void>;
  focusList(id: string): Promise<void>;
}

function handsOf(tab: Tab, { press, focusField, focusList }: Means): Hands {
  const pressWhatSays = (text: string, what = 'a, button, summary'): Promise<void> =>
    press(`each.matches('${what}') && each.textContent.trim() === ${JSON.stringify(text)}`, text);
  return {
    press: pressWhatSays,
    async follow(text, what) {
      await Promise.all([tab.leave('undefined'), pressWhatSays(text, what)]);
    },
    async write(id, text) {
      await focusField(id);
      const all = { key: 'a', code: 'KeyA', modifiers: 2, commands: ['selectAll'] };
      await tab.send('Input.dispatchKeyEvent', { type: 'keyDown', ...all });
      await tab.send('Input.dispatchKeyEvent', { type: 'keyUp', ...all });
      await tab.type(text);
    },
    async pick(id, text) {
      await focusList(id);
      for (const letter of text) {
        await tab.send('Input.dispatchKeyEvent', { type: 'keyDown', key: letter, text: letter });
        await tab.send('Input.dispatchKeyEvent', { type: 'keyUp', key: letter });
      }
      const chosen: string = await tab.look(`document.getElementById('${id}').selectedOptions[0].text`);
      assert.ok(chosen.startsWith(text), `${id} says ${chosen}`);
    },
  };
}
