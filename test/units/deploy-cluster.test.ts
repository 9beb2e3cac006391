import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { rolesOf } from '../../src/settings/roles.ts';
import { settingsTable } from '../../src/settings.ts';
import { type ComposeService, readCompose, settingsOfService } from '../rig/compose.ts';

const compose = readCompose('compose.cluster.yaml');
const single = readCompose('compose.yaml');
const services = Object.entries(compose.services);
const { balancer, migrate, database, redis, objects, ...servers } = compose.services as Readonly<
  Record<string, ComposeService>
>;
const balancerConfig = readFileSync('deploy/haproxy.cfg', 'utf8');

describe('compose.cluster.yaml', () => {
  test('has the database and the image of compose.yaml', () => {
    assert.deepEqual(database, single.services.database);
    for (const service of [migrate!, ...Object.values(servers)])
      assert.equal(service.image, single.services.barker!.image);
  });

  test('pins one version of each image', () => {
    for (const [name, { image }] of services) assert.match(image, /:\d+\.\d+(\.\d+)?(-\w+)?$/, name);
  });

  test('removes every privilege from every container', () => {
    for (const [name, service] of services) {
      assert.equal(service.read_only, true, name);
      assert.deepEqual(service.cap_drop, ['ALL'], name);
      assert.deepEqual(service.security_opt, ['no-new-privileges:true'], name);
      // The image of Barker has a user of its own.
      if (!service.image.startsWith('barker:')) assert.ok(service.user, name);
    }
  });

  test('passes secrets as files, and only those that exist', () => {
    for (const [name, { secrets = [], ...service }] of services) {
      for (const secret of secrets) assert.ok(compose.secrets[secret]!.file, `${name}: ${secret}`);
      const named = [...JSON.stringify(service).matchAll(/\/run\/secrets\/([\w.-]+)/g)].map(([, secret]) => secret!);
      const inConfig = name === 'balancer' ? ['tls.pem'] : [];
      assert.deepEqual([...new Set([...named, ...inConfig])].sort(), [...secrets].sort(), name);
    }
    const used = services.flatMap(([, { secrets = [] }]) => secrets);
    assert.deepEqual(Object.keys(compose.secrets).sort(), [...new Set(used)].sort());
  });

  test('starts servers with settings that the program accepts, with every role twice or as a worker', () => {
    const roles = Object.entries(servers).map(([name, service]) => {
      assert.equal(service.command![0], 'serve', name);
      return [name, [...rolesOf(settingsOfService(service))].sort()] as const;
    });
    const answers = ['api', 'search', 'stream'];
    assert.deepEqual(Object.fromEntries(roles), { 'api-1': answers, 'api-2': answers, 'worker-1': ['worker'] });
    assert.deepEqual(migrate!.command, ['migrate']);
    settingsOfService({ ...migrate!, command: ['serve'] });
  });

  test('gives each server what servers must have in common, and a folder of its own', () => {
    const volumes = Object.values(servers).map(({ volumes = [], environment }) => {
      assert.deepEqual(environment, servers['api-1']!.environment);
      assert.equal(volumes.length, 1);
      return volumes[0]!;
    });
    assert.equal(new Set(volumes).size, volumes.length);
    for (const volume of volumes) assert.match(volume, /^[\w-]+:\/var\/lib\/barker$/);
    const { environment } = servers['api-1']!;
    assert.equal(environment!.BARKER_OBJECT_STORE, `s3://${/-bucket=(\w+)/.exec(objects!.command!.join(' '))![1]}`);
    assert.equal(environment!.BARKER_OBJECT_STORE_ENDPOINT, 'http://objects:8333');
  });

  test('starts servers once what they need answers', () => {
    for (const [name, { depends_on }] of Object.entries(servers)) {
      assert.deepEqual(
        depends_on,
        {
          migrate: { condition: 'service_completed_successfully' },
          redis: { condition: 'service_healthy' },
          objects: { condition: 'service_healthy' },
        },
        name,
      );
    }
    for (const service of [database!, redis!, objects!]) assert.ok(service.healthcheck!.test!.length > 1);
  });

  test('publishes nothing but the balancer, whose address alone is trusted', () => {
    for (const [name, { ports = [] }] of services) {
      assert.deepEqual(ports, name === 'balancer' ? ['80:8080', '443:8443'] : [], name);
    }
    const { ipv4_address } = balancer!.networks.inside!;
    for (const { environment } of Object.values(servers))
      assert.equal(environment!.BARKER_TRUSTED_PROXIES, ipv4_address);
  });

  test('waits longer for the stop than a server waits for its requests', () => {
    for (const { stop_grace_period } of Object.values(servers)) {
      assert.ok(Number.parseInt(stop_grace_period!, 10) > settingsTable.shutdown_timeout_s.default + 5);
    }
  });
});

describe('deploy/haproxy.cfg', () => {
  test('names the servers of compose.cluster.yaml that answer, at the ports of the settings', () => {
    const serversIn = (end: string) =>
      [...balancerConfig.matchAll(new RegExp(`^ {4}server (api-\\d)\\S* (\\S+):(\\d+)${end}$`, 'gm'))].map(
        ([, ...parts]) => parts,
      );
    const found = serversIn('');
    const expected = [settingsTable.port, settingsTable.sandbox_port].flatMap((port) =>
      ['api-1', 'api-2'].map((name) => [name, servers[name]!.networks.inside!.ipv4_address, String(port.default)]),
    );
    assert.deepEqual(found, expected);
    assert.deepEqual(serversIn(' backup no-check'), expected, 'the same when none is ready');
    const probes = [...balancerConfig.matchAll(/check port (\d+)/g)].map(([, port]) => Number(port));
    assert.deepEqual(probes, [settingsTable.operations_port.default, settingsTable.operations_port.default]);
  });

  test('leads ACME challenges to the host', () => {
    const { gateway } = parse(readFileSync('compose.cluster.yaml', 'utf8')).networks.inside.ipam.config[0];
    assert.ok(balancerConfig.includes(`\n    server client ${gateway}:8402\n`));
  });

  test('never sends a request twice', () => {
    assert.match(balancerConfig, /^ {4}retry-on conn-failure$/m);
  });

  test('notices a stop before the server takes no more connections', () => {
    const [, interval_ms, fall] = /inter (\d+)ms fall (\d+)/.exec(balancerConfig)!;
    assert.ok(Number(interval_ms) * Number(fall) < settingsTable.shutdown_grace_s.default * 1000);
  });

  test('gets the variables that it uses', () => {
    const used = [...balancerConfig.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name!);
    assert.deepEqual(Object.keys(balancer!.environment!).sort(), [...new Set(used)].sort());
  });
});
