import { writeFileSync } from 'node:fs';
import { startChromium } from '../rig/chromium.ts';
import { openPlace } from '../rig/databases.ts';
import { pasted } from '../rig/first-calls.ts';
import { until } from '../rig/patience.ts';
import { pictureSources, SOURCES } from '../rig/picture-sources.ts';
import { startBarker } from '../rig/process.ts';

/**
 * Takes the pictures of the documents from a running program: `npm run pictures`. The ad of the home page is created, and
 * eighteen hours pass, by its own buttons.
 */
const place = await openPlace('sqlite');
const running = await startBarker(place, { flags: ['--people', '5000', '--port', '8080', '--sandbox-port', '8081'] });
const chromium = await startChromium();
const tab = await chromium.tab();
const features = [{ name: 'prefers-reduced-motion', value: 'reduce' }];
await tab.send('Emulation.setEmulatedMedia', { features });
await tab.send('Emulation.setDeviceMetricsOverride', { width: 1280, height: 900, deviceScaleFactor: 1, mobile: false });
await tab.open(running.file.base_url!);
await tab.leave("document.querySelector('#ad button').click()");
for (let presses = 0; presses < 3; presses++)
  await tab.leave("document.querySelector('#ad form:nth-of-type(2) button').click()");
// They appear while the page is open.
for (const url of [running.file.base_url!, running.file.sandbox_url!, running.file.base_url!])
  await pasted(await (await fetch(url, { headers: { accept: 'text/html' } })).text(), 'curl');
await until(
  'three calls have arrived',
  async () => 3 === (await tab.look("document.querySelectorAll('[data-island] li').length")),
);
await tab.send('Emulation.setScrollbarsHidden', { hidden: true });
const height = await tab.look("Math.ceil(document.querySelector('#ad').getBoundingClientRect().bottom + scrollY) + 12");
const clip = { x: 0, y: 0, width: 1280, height, scale: 1 };
const { data } = await tab.send('Page.captureScreenshot', { captureBeyondViewport: true, clip });
writeFileSync('docs/pictures/home.png', Buffer.from(data, 'base64'));
writeFileSync(SOURCES, `${JSON.stringify(pictureSources(), undefined, 2)}\n`);
await chromium.close();
await running.stop();
await place.remove();
