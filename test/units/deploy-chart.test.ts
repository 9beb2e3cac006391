import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { parse } from 'yaml';
import { rolesOf } from '../../src/settings/roles.ts';
import { OPERATORS, readCompose, SECRETS, settingsOfService } from '../rig/compose.ts';
import { renderChart } from '../rig/helm.ts';

const ADDRESSES = {
  publicBaseUrl: OPERATORS.BARKER_PUBLIC_BASE_URL!,
  publicSandboxUrl: OPERATORS.BARKER_PUBLIC_SANDBOX_URL!,
};
const render = (values: object = {}, release = 'barker') =>
  renderChart('deploy/chart', release, { ...ADDRESSES, ...values });
type Objects = ReturnType<typeof render>;
const find = (objects: Objects, kind: string, name?: string) =>
  objects.find((each) => each.kind === kind && (name === undefined || each.metadata.name === name));

/** Everything that can be switched on. */
const ALL = {
  image: { repository: 'registry.example/barker', tag: '1.2.3' },
  imagePullSecrets: [{ name: 'registry' }],
  settings: {
    redis_url_file: '/run/secrets/redis_url',
    object_store: 's3://barker',
    object_store_endpoint: 'https://s3.example.org',
    object_store_key_id: 'barker',
    object_store_secret_file: '/run/secrets/object_store_secret',
  },
  api: { autoscaling: { enabled: true }, podDisruptionBudget: { minAvailable: '50%' } },
  podAnnotations: { 'prometheus.io/scrape': 'true' },
  nodeSelector: { disk: 'fast' },
  tolerations: [{ key: 'ads', operator: 'Exists' }],
  affinity: { podAntiAffinity: {} },
  ingress: { className: 'nginx', annotations: { 'example.org/a': 'b' } },
};

/** Names of a manifest that Kubernetes does not know, and values of wrong types, as the compiler reports them. */
function mistakesIn(objects: Objects): string {
  const folder = mkdtempSync(join(tmpdir(), 'barker-chart-'));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  const code = objects.map(({ apiVersion, kind, ...rest }, at) => {
    const path = apiVersion === 'v1' ? 'core/v1' : apiVersion.replace('.k8s.io', '');
    const type = `import('kubernetes-types/${path}').${kind}`;
    return `export const object${at}: ${type} = ${JSON.stringify({ apiVersion, kind, ...rest }, null, 1)};\n`;
  });
  writeFileSync(join(folder, 'objects.ts'), code.join(''));
  const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--types', '', '--pretty', 'false'];
  try {
    const compiler = resolve('node_modules/typescript/bin/tsc');
    execFileSync(process.execPath, [compiler, ...flags, 'objects.ts'], { cwd: folder, encoding: 'utf8' });
    return '';
  } catch (error) {
    return (error as { stdout: string }).stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('deploy/chart', () => {
  test('has the version of the package', () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
    const chart = parse(readFileSync('deploy/chart/Chart.yaml', 'utf8'));
    assert.deepEqual([chart.version, chart.appVersion], [version, version]);
  });

  test('makes objects of the types of Kubernetes, and so does deploy/kubernetes.yaml', () => {
    const { items } = parse(readFileSync('deploy/kubernetes.yaml', 'utf8'), { merge: true });
    assert.equal(mistakesIn([...render(), ...render(ALL, 'another-release'), ...items]), '');
    const [first] = render();
    assert.match(
      mistakesIn([{ ...first, spec: { ...first.spec, minAvailible: 1 } }]),
      /"minAvailible"' does not exist in type 'PodDisruptionBudgetSpec'/,
    );
  });

  test('runs pods as deploy/kubernetes.yaml does', () => {
    const { items } = parse(readFileSync('deploy/kubernetes.yaml', 'utf8'), { merge: true });
    const objects = render();
    for (const [kind, own, theirs] of [
      ['Job', 'barker-migrate-1', `barker-migrate-${JSON.parse(readFileSync('package.json', 'utf8')).version}`],
      ['Deployment', 'barker-api', 'barker'],
      ['Deployment', 'barker-worker', 'barker-worker'],
    ] as const) {
      const made = structuredClone(find(objects, kind, own).spec);
      const written = structuredClone(find(items, kind, theirs).spec);
      delete made.template.spec.containers[0].imagePullPolicy;
      // A deployment has this anyway.
      delete written.template.spec.restartPolicy;
      delete made.template.spec.restartPolicy;
      assert.deepEqual(made.template.spec, written.template.spec, own);
      assert.deepEqual([made.replicas, made.strategy], [written.replicas, written.strategy], own);
    }
  });

  test('selects with the labels that its pods have', () => {
    const objects = render({}, 'ads');
    const api = find(objects, 'Deployment', 'ads-api').spec.template.metadata.labels;
    const worker = find(objects, 'Deployment', 'ads-worker').spec.template.metadata.labels;
    const fits = (selector: object, labels: Record<string, string>): boolean =>
      Object.entries(selector).every(([name, value]) => labels[name] === value);
    for (const selector of [
      find(objects, 'Service').spec.selector,
      find(objects, 'PodDisruptionBudget').spec.selector.matchLabels,
      find(objects, 'Deployment', 'ads-api').spec.selector.matchLabels,
    ]) {
      assert.deepEqual([fits(selector, api), fits(selector, worker)], [true, false]);
    }
    const job = find(objects, 'Job').spec.template.metadata.labels;
    assert.equal(fits(find(objects, 'Service').spec.selector, job), false);
  });

  test('has settings that the program accepts, in all pods, with the secrets that they name', () => {
    for (const values of [{}, ALL]) {
      const objects = render(values);
      const { data } = find(objects, 'ConfigMap');
      const roles = ['barker-api', 'barker-worker'].map((name) => {
        const [container] = find(objects, 'Deployment', name).spec.template.spec.containers;
        const { barker } = readCompose('compose.yaml').services;
        const settings = settingsOfService({ ...barker!, command: container.args, environment: data });
        assert.equal(container.envFrom[0].configMapRef.name, find(objects, 'ConfigMap').metadata.name);
        return [...rolesOf(settings)].sort();
      });
      assert.deepEqual(roles, [['api', 'search', 'stream'], ['worker']]);
      for (const [name, value] of Object.entries<string>(data)) {
        if (name.endsWith('_FILE')) assert.ok(SECRETS[value.replace('/run/secrets/', '')], value);
      }
    }
  });

  test('scales by a target instead of a number, and replaces pods when a setting changes', () => {
    const scaled = render(ALL);
    assert.equal(find(scaled, 'Deployment', 'barker-api').spec.replicas, undefined);
    const { scaleTargetRef, minReplicas, maxReplicas } = find(scaled, 'HorizontalPodAutoscaler').spec;
    assert.deepEqual([scaleTargetRef.name, minReplicas, maxReplicas], ['barker-api', 2, 6]);
    assert.equal(find(render(), 'HorizontalPodAutoscaler'), undefined);
    const checksum = (values: object): string =>
      find(render(values), 'Deployment', 'barker-api').spec.template.metadata.annotations['checksum/config'];
    assert.equal(checksum({}), checksum({ podAnnotations: { a: 'b' } }));
    assert.notEqual(checksum({}), checksum({ settings: { log_level: 'debug' } }));
  });

  test('leads both hosts to their listeners, or makes no ingress', () => {
    const { tls, rules } = find(render(), 'Ingress').spec;
    const hosts = Object.values(ADDRESSES).map((url) => new URL(url).host);
    assert.deepEqual(tls, [{ hosts, secretName: 'barker-tls' }]);
    const ports = rules.map(({ host, http }: { host: string; http: { paths: { backend: object }[] } }) => [
      host,
      http.paths[0]!.backend,
    ]);
    const service = (name: string) => ({ service: { name: 'barker', port: { name } } });
    assert.deepEqual(ports, [
      [hosts[0], service('production')],
      [hosts[1], service('sandbox')],
    ]);
    assert.equal(find(render({ ingress: { enabled: false } }), 'Ingress'), undefined);
  });

  test('accepts the values of docs/operate.md', () => {
    const [, values] = /file `ads\.yaml`:\n\n```yaml\n([\s\S]*?)```/.exec(readFileSync('docs/operate.md', 'utf8'))!;
    const objects = renderChart('deploy/chart', 'ads', parse(values!));
    assert.equal(find(objects, 'HorizontalPodAutoscaler').spec.maxReplicas, 8);
    const [container] = find(objects, 'Deployment', 'ads-worker').spec.template.spec.containers;
    assert.match(container.image, /^registry\.example\.org\/barker:\d/);
  });

  test('refuses values that it does not have or that are missing', () => {
    for (const [values, message] of [
      [{ publicBaseUrl: 'http://ads.example.org' }, /publicBaseUrl must match pattern/],
      [{ publicSandboxUrl: '' }, /publicSandboxUrl must match pattern/],
      [{ replicas: 3 }, /must NOT have additional properties/],
      [{ api: { replicas: '3' } }, /api\/replicas must be integer/],
      [{ settings: { shutdown_grace_s: 10 } }, /settings\/shutdown_grace_s must be string/],
    ] as const) {
      assert.throws(() => render(values), message);
    }
  });
});
