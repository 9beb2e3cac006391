import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.ts';
import { KINDS } from './run-cases.ts';

const USAGE = `npm run fuzz -- [options]

Sends hostile requests to a service of its own and judges what comes back.

  --requests N         how many requests (10000)
  --seed S             what chance begins with (1)
  --from K             the number of the first case (0); a case that failed runs alone with --from K --requests 1
  --only KIND          one kind of cases: ${Object.keys(KINDS).join(', ')}
  --database NAME      sqlite or postgres (sqlite)
  --lanes N            how many cases run at once (48)
  --memory MB          how much memory the service may take (1500)
`;

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '10000' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    only: { type: 'string' },
    database: { type: 'string', default: 'sqlite' },
    lanes: { type: 'string', default: '48' },
    memory: { type: 'string', default: '1500' },
    help: { type: 'boolean' },
  },
});
if (values.help || (values.only !== undefined && !Object.hasOwn(KINDS, values.only))) {
  process.stdout.write(USAGE);
  process.exit(values.help ? 0 : 2);
}
const result = await fuzz({
  requests: Number(values.requests),
  seed: Number(values.seed),
  from: Number(values.from),
  only: values.only,
  lanes: Number(values.lanes),
  database: values.database === 'postgres' ? 'postgres' : 'sqlite',
  memory_bytes_max: Number(values.memory) * 1_000_000,
  say: (line) => process.stdout.write(`${line}\n`),
});
process.exit(result.isGood ? 0 : 1);
