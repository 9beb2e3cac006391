import { mkdirSync, writeFileSync } from 'node:fs';
import { generatedDocs } from './generated-docs.ts';
import { generatedSchema } from './generated-schema.ts';

/** Writes what is generated from the declarations and the migrations: documents, and the types of the tables. */
const folder = new URL('../../docs/generated/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, text] of Object.entries(generatedDocs())) writeFileSync(new URL(name, folder), text);
writeFileSync(new URL('../../src/storage/generated/schema.ts', import.meta.url), generatedSchema());
