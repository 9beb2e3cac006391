import { mkdirSync, writeFileSync } from 'node:fs';
import { recordExamples, workedExamplesText } from './examples/record.ts';
import { generatedDocs } from './generated-docs.ts';
import { generatedSchema } from './generated-schema.ts';

/**
 * Writes what is generated from the declarations and the migrations: documents, the types of the tables, and the examples
 * of the reference, which are run for it.
 */
const folder = new URL('../../docs/generated/', import.meta.url);
mkdirSync(folder, { recursive: true });
// First: the documents show the replies.
const examples = new URL('../../src/http/reference/generated/worked-examples.json', import.meta.url);
writeFileSync(examples, workedExamplesText(await recordExamples()));
for (const [name, text] of Object.entries(generatedDocs())) writeFileSync(new URL(name, folder), text);
writeFileSync(new URL('../../src/storage/generated/schema.ts', import.meta.url), generatedSchema());
