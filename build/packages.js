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

/**
 * The bill of materials of this package, in CycloneDX 1.6: scanners find no packages in what is bundled.
 * @param folders of the packages that are bundled in the program or the scripts of its pages; the Node.js of each platform
 *   is added, of which an installation has one at most
 */
export function billOf(folders) {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8'));
  const { name, version, description, license, optionalDependencies } = manifestOf('.');
  const componentOf = (folder, each) => {
    const purl = `pkg:npm/${each.name.replace('@', '%40')}@${each.version}`;
    const [algorithm, digest] = packages[folder].integrity.split('-');
    const hashes = [{ alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') }];
    const licenses = [{ expression: each.license }];
    return { type: 'library', 'bom-ref': purl, name: each.name, version: each.version, hashes, licenses, purl };
  };
  const components = [
    ...folders.map((folder) => ({ ...componentOf(folder, manifestOf(folder)), scope: 'required' })),
    ...Object.entries(optionalDependencies).map(([runtime, version]) => {
      const each = { name: runtime, version, license: 'MIT' };
      return { ...componentOf(`node_modules/${runtime}`, each), scope: 'optional' };
    }),
  ];
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const component = {
    type: 'application',
    'bom-ref': purl,
    name,
    version,
    description,
    licenses: [{ license: { id: license } }],
    purl,
  };
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component },
    components,
    dependencies: [{ ref: purl, dependsOn: components.map((each) => each['bom-ref']) }],
  };
  return `${JSON.stringify(bill, undefined, 2)}\n`;
}

function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
}
