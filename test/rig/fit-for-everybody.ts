import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Tab } from './chromium.ts';

/** Where a picture of each page is put, to be looked at; none is taken when nothing is said. */
const { PICTURES } = process.env;

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Takes a picture of a whole page as it is now. */
async function takePicture(tab: Tab, name: string): Promise<void> {
  if (!PICTURES) return;
  mkdirSync(PICTURES, { recursive: true });
  // A scrollbar would cut off the right edge of what is captured.
  await tab.send('Emulation.setScrollbarsHidden', { hidden: true });
  const { data } = await tab.send('Page.captureScreenshot', { captureBeyondViewport: true });
  writeFileSync(join(PICTURES, `${name.replaceAll(' ', '-')}.png`), Buffer.from(data, 'base64'));
}

// Scripts of users look for this very element, so it stays as it is; the name it gives is what is read aloud.
const KEPT = 'aria-prohibited-attr: <kbd aria-labelledby="code-desc">';

const HEIGHTS = `[...document.querySelectorAll('button, label.choice, textarea, input:not([type=hidden], [type=radio], [type=checkbox])')]
  .filter((element) => element.offsetParent !== null).map((element) => element.offsetHeight)`;

/** Holds a page to what everybody needs of it: at three widths, light and dark, for eyes and for screen readers. */
export async function checkFit(tab: Tab, name: string): Promise<void> {
  assert.equal(await tab.look('document.documentElement.lang'), 'en');
  assert.equal(await tab.look('document.querySelectorAll("h1").length'), 1);
  assert.equal(await tab.look('document.title === document.querySelector("h1").textContent + " · Barker"'), true);
  // What is folded away must be right too.
  await tab.look('document.querySelectorAll("details").forEach((each) => { each.open = true; })');
  await tab.look(AXE);
  for (const scheme of ['light', 'dark']) {
    const features = [{ name: 'prefers-color-scheme', value: scheme }];
    await tab.send('Emulation.setEmulatedMedia', { features });
    for (const width of [320, 390, 1280]) {
      const size = { width, height: 800, deviceScaleFactor: 1, mobile: width < 500 };
      await tab.send('Emulation.setDeviceMetricsOverride', size);
      assert.ok((await tab.look('document.documentElement.scrollWidth')) <= width, `wider than ${width}`);
      for (const height of await tab.look(HEIGHTS)) assert.ok(height >= 44, `${height} high at ${width}`);
      await takePicture(tab, `${name} ${scheme} ${width}`);
    }
    // The rules that depend on colors; the others find the same in either scheme.
    const rules = scheme === 'light' ? '' : `runOnly: ['color-contrast', 'link-in-text-block'],`;
    const found = await tab.look(`axe.run(document, { ${rules} resultTypes: ['violations', 'incomplete'] }).then(
          ({ passes, violations, incomplete }) => ({
            passes: passes.length,
            wrong: [...violations, ...incomplete].flatMap(({ id, nodes }) => nodes.map(({ html, any }) => id + ': ' + html + ' ' + any.map(({ message }) => message))),
          }))`);
    assert.ok(found.passes > (scheme === 'light' ? 10 : 0), 'the rules were applied');
    const wrong = (found.wrong as string[]).filter((each) => !each.startsWith(KEPT));
    assert.deepEqual(wrong, [], scheme);
  }
  const { nodes } = await tab.send('Accessibility.getFullAXTree');
  const roles = ['button', 'textbox', 'link', 'heading', 'checkbox', 'radio'];
  for (const node of nodes as { role: { value: string }; name?: { value: string } }[]) {
    if (roles.includes(node.role.value)) assert.notEqual(node.name?.value ?? '', '', node.role.value);
  }
  const complaints = tab.log.filter(({ method }) => method === 'Log.entryAdded').map(({ params }) => params.entry.text);
  assert.deepEqual(
    complaints.filter((text) => /Content Security Policy|Refused/.test(text)),
    [],
  );
}
