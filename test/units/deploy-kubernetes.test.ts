import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { PROBE_PATHS } from '../../src/http/probes.ts';
import { rolesOf } from '../../src/settings/roles.ts';
import { settingsTable } from '../../src/settings.ts';
import { readCompose, SECRETS, settingsOfService } from '../rig/compose.ts';
import { stagesOf } from '../rig/dockerfile.ts';

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
  readonly securityContext: unknown;
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
}

interface Pod {
  readonly automountServiceAccountToken: boolean;
  readonly terminationGracePeriodSeconds?: number;
  readonly securityContext: { readonly runAsNonRoot: boolean };
  readonly containers: readonly [Container];
  readonly volumes: readonly { readonly secret?: { readonly secretName: string } }[];
}

const text = readFileSync('deploy/kubernetes.yaml', 'utf8');
// biome-ignore lint/suspicious/noExplicitAny: objects of many kinds
const items: any[] = parse(text, { merge: true }).items;
const of = (kind: string) => items.filter((each) => each.kind === kind);
const [config, job, service] = ['ConfigMap', 'Job', 'Service'].map((kind) => of(kind)[0]);
const podOf = (item: { spec: { template: { spec: Pod } } }): Pod => item.spec.template.spec;
const servers = of('Deployment').map(podOf);
const pods = [podOf(job), ...servers];
const guide = readFileSync('docs/operate.md', 'utf8');
const own = JSON.parse(readFileSync('package.json', 'utf8'));

describe('deploy/kubernetes.yaml', () => {
  test('runs the commands of the image of this version, with settings that the program accepts', () => {
    const roles = servers.map(({ containers: [{ args }] }) => {
      assert.equal(args[0], 'serve');
      const settings = settingsOfService({
        ...readCompose('compose.yaml').services.barker!,
        command: args,
        environment: config.data,
      });
      assert.ok(settings.shutdown_grace_s > settingsTable.shutdown_grace_s.default);
      return [...rolesOf(settings)].sort();
    });
    assert.deepEqual(roles, [['api', 'search', 'stream'], ['worker']]);
    assert.deepEqual(podOf(job).containers[0].args, ['migrate']);
    assert.equal(job.metadata.name, `barker-migrate-${own.version}`);
    for (const { containers } of pods) assert.equal(containers[0].image, `barker:${own.version}`);
  });

  test('has the secrets that the settings name, which the guide makes', () => {
    const named = Object.entries<string>(config.data).flatMap(([name, value]) =>
      name.endsWith('_FILE') ? [value.replace('/run/secrets/', '')] : [],
    );
    assert.deepEqual(named.sort(), Object.keys(SECRETS).sort());
    const [, made] = /^kubectl create secret generic barker (.*)$/m.exec(guide)!;
    assert.deepEqual([...made!.matchAll(/--from-file=(\w+)/g)].map(([, file]) => file).sort(), named);
    for (const { volumes } of pods) assert.equal(volumes[0]!.secret!.secretName, 'barker');
  });

  test('asks the probes that the program has, at the ports of the settings', () => {
    const { port, sandbox_port, operations_port } = settingsTable;
    const ports = { production: port.default, sandbox: sandbox_port.default, operations: operations_port.default };
    const [api, worker] = servers.map(({ containers }) =>
      Object.fromEntries(containers[0].ports!.map(({ name, containerPort }) => [name, containerPort])),
    );
    assert.deepEqual([api, worker], [ports, { operations: ports.operations }]);
    for (const { containers } of servers) {
      const { startupProbe, readinessProbe, livenessProbe } = containers[0];
      const asked = [startupProbe, readinessProbe, livenessProbe].map(({ httpGet }) => {
        assert.equal(httpGet.port, 'operations');
        return httpGet.path.split('?', 1)[0]!;
      });
      assert.deepEqual(asked, ['/readyz', '/readyz', '/livez']);
      for (const path of asked) assert.ok(PROBE_PATHS.includes(path as '/livez'), path);
    }
    assert.deepEqual(
      service.spec.ports.map(({ name, port, targetPort }: Record<string, unknown>) => [name, port, targetPort]),
      [
        ['production', ports.production, 'production'],
        ['sandbox', ports.sandbox, 'sandbox'],
      ],
    );
  });

  test('leads both host names to their listeners, and selects the pods that answer', () => {
    const { tls, rules } = of('Ingress')[0].spec;
    const { BARKER_PUBLIC_BASE_URL, BARKER_PUBLIC_SANDBOX_URL } = config.data;
    const found = rules.map(
      ({ host, http }: { host: string; http: { paths: { backend: { service: unknown } }[] } }) => [
        `https://${host}`,
        http.paths[0]!.backend.service,
      ],
    );
    assert.deepEqual(found, [
      [BARKER_PUBLIC_BASE_URL, { name: service.metadata.name, port: { name: 'production' } }],
      [BARKER_PUBLIC_SANDBOX_URL, { name: service.metadata.name, port: { name: 'sandbox' } }],
    ]);
    assert.deepEqual(
      tls[0].hosts,
      rules.map(({ host }: { host: string }) => host),
    );
    const [api] = of('Deployment');
    for (const selector of [
      service.spec.selector,
      of('PodDisruptionBudget')[0].spec.selector.matchLabels,
      api.spec.selector.matchLabels,
    ])
      assert.deepEqual(selector, api.spec.template.metadata.labels);
  });

  test('waits longer for the stop than a server waits for its requests', () => {
    for (const { terminationGracePeriodSeconds } of servers)
      assert.ok(terminationGracePeriodSeconds! > settingsTable.shutdown_timeout_s.default + 5);
  });

  test('removes every privilege, and gives each pod a folder where the image has its data', () => {
    const image = stagesOf('Dockerfile').at(-1)!;
    const [volume] = image.steps.find(({ keyword }) => keyword === 'VOLUME')!.list;
    for (const {
      securityContext,
      automountServiceAccountToken,
      containers: [container],
    } of pods) {
      // Its folder would be inside that of the secrets, which cannot be written.
      assert.equal(automountServiceAccountToken, false);
      assert.equal(securityContext.runAsNonRoot, true);
      assert.deepEqual(container.securityContext, {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      assert.equal(container.volumeMounts.find(({ name }) => name === 'data')!.mountPath, volume);
    }
  });
});
