import { globSync, readFileSync } from 'node:fs';
import { largeDocs } from '../../build/docs/generated-docs.ts';

/** What documents, messages, pages and examples tell people to run: texts by their files, generated ones too. */
export function instructions(): Map<string, string> {
  const places = '{*.{md,yml},compose*.yaml,Dockerfile,{bin,build,client,deploy,docs,examples,src}/**/*.*}';
  const files = globSync(places, { exclude: ['**/node_modules/**', '**/package-lock.json'] }).filter((file) =>
    /\.(md|ts|js|mjs|json|ya?ml|html|css|cfg|conf|service|py|rb|php|toml|sh)$|file$/.test(file),
  );
  const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
  for (const [name, text] of Object.entries(largeDocs())) texts.set(`docs/generated/${name}`, text);
  return texts;
}
