import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Tab } from './chromium.ts';

/** Writes a file for the time of a test, and returns its path. */
export function fileOf(contents: readonly string[] | Buffer, name = 'people.csv'): string {
  const folder = mkdtempSync(join(tmpdir(), 'barker-people-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, name);
  writeFileSync(path, Buffer.isBuffer(contents) ? contents : contents.join('\r\n'));
  return path;
}

/** Chooses a file, as a person does in the dialog of the browser. */
export async function chooseFile(tab: Tab, path: string, id = 'people-file'): Promise<void> {
  const { root } = await tab.send('DOM.getDocument');
  const { nodeId } = await tab.send('DOM.querySelector', { nodeId: root.nodeId, selector: `#${id}` });
  await tab.send('DOM.setFileInputFiles', { nodeId, files: [path] });
}
