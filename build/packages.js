import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folders of the packages that the modules of a bundle are from, below the current folder, in order. */
export function packageFolders(inputs) {
  const folders = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(path)?.[0] ?? []);
  return [...new Set(folders)].sort();
}

/** The licenses of packages in a bundle, as they ask for. */
export function licensesOf(folders) {
  const texts = folders.map((folder) => {
    const { name, license } = manifestOf(folder);
    const files = readdirSync(folder).filter((each) => /^licen[cs]e/i.test(each));
    const texts = files.map((file) => readFileSync(join(folder, file), 'utf8').trim());
    return [name, ...(texts.length > 0 ? texts : [license]), ''].join('\n\n');
  });
  return texts.join(`\n${'-'.repeat(72)}\n\n`);
}

/** The bill of materials of a bundle, in CycloneDX 1.5: scanners find no packages in it. */
export function billOf(folders) {
  const components = folders.map((folder) => {
    const { name, version, license } = manifestOf(folder);
    const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
    return { type: 'library', name, version, purl, 'bom-ref': purl, licenses: [{ expression: license }] };
  });
  const bill = { bomFormat: 'CycloneDX', specVersion: '1.5', version: 1, components };
  return `${JSON.stringify(bill, undefined, 2)}\n`;
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
