// On either database: tried with both here, one after the other.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type OwnPostgres, startPostgres } from '../rig/postgres.ts';
import { tarballIn } from '../rig/tarball.ts';
import { onThrowawayMachine } from '../rig/throwaway-machine.ts';

let folder: string;
let tarball: string;
/** The server of the other tests gives durability up for speed, which `barker doctor` refuses. */
let server: OwnPostgres;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'barker-operate-'));
  tarball = await tarballIn(folder);
  server = await startPostgres();
});
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await server?.stop();
});

/** With PostgreSQL the page asks for two more lines after the settings have been written. */
const WITH_POSTGRES = `
echo "$DATABASE_URL" | install --owner=barker --group=barker --mode=0400 /dev/stdin /etc/barker/database.url
echo BARKER_DATABASE_URL_FILE=/etc/barker/database.url >> /etc/barker/barker.env
`;

// One after the other: the page names ports.
for (const engine of ['sqlite', 'postgres']) {
  test(`docs/operate.md, pasted block by block into an empty machine, sets up a working service on ${engine}`, async () => {
    const blocks = [...readFileSync('docs/operate.md', 'utf8').matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm)].map(
      ([, block]) => block!,
    );
    assert.ok(blocks.length > 10);
    const script = blocks.map((block, index) => {
      const isSettings = block.includes('cat > /etc/barker/barker.env');
      const more = isSettings && engine === 'postgres' ? WITH_POSTGRES.replace('$DATABASE_URL', server.url) : '';
      return `echo "== block ${index + 1} $(date +%T.%N)"\n${block.replace(/^END$/m, (end) => `${end}${more}`)}`;
    });
    const { code, output } = await onThrowawayMachine(script.join('\n'), { 'barker-ads-server-0.1.0.tgz': tarball });
    assert.equal(code, 0, output.slice(-4000));
    assert.match(output, /"name":"Harbour Coffee"/, 'the signed call lists the account');
    assert.match(output, new RegExp(`${engine === 'sqlite' ? 'SQLite' : 'PostgreSQL [\\d.]+'} answers`));
  });
}
