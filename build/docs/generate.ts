import { mkdirSync, writeFileSync } from 'node:fs';
import { generatedDocs } from './generated-docs.ts';

/** Writes the documents that follow from the declarations. */
const folder = new URL('../../docs/generated/', import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, text] of Object.entries(generatedDocs())) writeFileSync(new URL(name, folder), text);
