import { parseArgs } from 'node:util';
import { chosenRules, type Result, runRules } from './conformance.ts';
import { readKeys } from './keys.ts';

const USAGE = `npm run conformance -- --url URL --keys FILE [options]

Checks the sentences of docs/protocol against a server. docs/protocol/README.md describes the file of keys.

  --only 'authentication 2'   a chapter, section or sentence; may be repeated
  --json                      prints the results as JSON
`;

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    keys: { type: 'string' },
    only: { type: 'string', multiple: true, default: [] },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});
const rules = chosenRules(values.only);
if (values.help || values.url === undefined || values.keys === undefined || rules.length === 0) {
  process.stdout.write(rules.length === 0 ? `no check of ${values.only.join(', ')}\n` : USAGE);
  process.exit(values.help ? 0 : 2);
}

function print({ outcome, id, sentence, reason }: Result): void {
  const why = reason === undefined ? '' : `\n${' '.repeat(33)}${outcome === 'skipped' ? 'because' : 'but'} ${reason}`;
  process.stdout.write(`${outcome.padEnd(8)} ${id.padEnd(23)} ${sentence}${why}\n`);
}

const results = await runRules(
  rules,
  { url: values.url, keys: readKeys(values.keys) },
  values.json ? undefined : print,
);
const count = (outcome: Result['outcome']): number => results.filter((each) => each.outcome === outcome).length;
const [passed, failed, skipped] = [count('passed'), count('failed'), count('skipped')];
if (values.json) process.stdout.write(`${JSON.stringify({ passed, failed, skipped, results }, null, 2)}\n`);
else process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
process.exit(failed > 0 ? 1 : 0);
