import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { generatedSchema } from './generated-schema.ts';

/**
 * Writes what is generated from the declarations and the migrations: documents, the types of the tables, and the examples
 * of the reference, which are run for it. With `--large`, only the documents that are not in the repository.
 */
const isLarge = process.argv.includes('--large');
if (!isLarge) {
  // First: the documents show the replies.
  const { recordExamples, workedExamplesText } = await import('./examples/record.ts');
  const examples = new URL('../../src/http/reference/generated/worked-examples.json', import.meta.url);
  writeFileSync(examples, workedExamplesText(await recordExamples()));
  writeFileSync(new URL('../../src/storage/generated/schema.ts', import.meta.url), generatedSchema());
}
if (!isLarge) {
  const { updatedPo } = await import('./translations.ts');
  const german = new URL('../../src/texts/de.po', import.meta.url);
  writeFileSync(german, updatedPo(readFileSync(german, 'utf8')));
}
const { generatedDocs, largeDocs } = await import('./generated-docs.ts');
const folder = new URL('../../docs/generated/', import.meta.url);
mkdirSync(folder, { recursive: true });
const large = largeDocs();
for (const [name, text] of Object.entries(isLarge ? large : { ...large, ...generatedDocs(large) }))
  writeFileSync(new URL(name, folder), text);
