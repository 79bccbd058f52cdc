import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { APP_FOLDER as CONSOLE_APP } from '../../clients/console-app/build/build-app.ts';
import { APP_FOLDER as HANDHELD_APP } from '../../clients/handheld-app/build/build-app.ts';
import type { Setting } from '../../platform/runtime/settings.ts';
import { API_SETTINGS } from '../../services/api/config.ts';
import { CONSOLE_SETTINGS } from '../../services/console/config.ts';
import { MEMBER_ROUTES, VISITOR_ROUTES } from '../../services/console/routes.ts';
import { GATEWAY_SETTINGS } from '../../services/handheld-gateway/config.ts';
import { INGEST_SETTINGS } from '../../services/mqtt-ingest/config.ts';
import { WORKER_SETTINGS } from '../../services/worker/config.ts';
import { buildAppIfStale, buildConsoleIfStale } from '../support/built-app.ts';
import { useChecker } from '../support/checker.ts';
import { DEPLOY, PROJECT, readDeployed, readYaml } from './folder.ts';

describe('the Kubernetes manifests', () => {
  const kubectl = useChecker('kubectl');
  let objects: KubernetesObject[];

  before(() => {
    const built = kubectl.run(['kustomize', `${DEPLOY}/kubernetes`]);
    expect(built, built.said).to.deep.include({ status: 0 });
    objects = [...documentsOf(built.said), ...documentsOf(readDeployed('kubernetes/secrets.example.yaml'))];
  });

  it('are what Kubernetes has a schema for, value by value', () => {
    expect(objects).to.have.lengthOf(27);
    expect(faultsOf(objects)).to.equal('');
    const [deployment] = objects.filter(({ kind }) => kind === 'Deployment');
    expect(faultsOf([{ ...deployment, spec: { replicas: 'many' } } as KubernetesObject])).to.include(
      'integer',
    );
  });

  it('have no field that Kubernetes does not know', () => {
    expect(unknownFields(objects)).to.equal('');
    expect(unknownFields([{ ...objects[0], specs: {} } as KubernetesObject])).to.include('error TS2353');
  });

  it('are all in the kustomization, but for the secrets', () => {
    const { resources } = readYaml('kubernetes/kustomization.yaml') as { resources: string[] };
    expect(resources).to.have.members([
      'namespace.yaml',
      'settings.yaml',
      'migrate.yaml',
      'api.yaml',
      'mqtt-ingest.yaml',
      'worker.yaml',
      'handheld-gateway.yaml',
      'console.yaml',
      'command-line.yaml',
      'network.yaml',
    ]);
    for (const { kind, metadata } of objects) {
      expect(metadata.namespace, metadata.name).to.equal(kind === 'Namespace' ? undefined : 'tagtrail');
    }
  });

  it('let in requests for every file of the apps and every route, and none for metrics', async () => {
    await Promise.all([buildAppIfStale(), buildConsoleIfStale()]);
    const rules = objects.find(({ kind }) => kind === 'Ingress')?.spec.rules as IngressRule[];
    const served = {
      'tagtrail-api': ['/api/v1/assets'],
      'tagtrail-handheld-gateway': ['/handheld/v1/scans', '/', ...filesOf(HANDHELD_APP)],
      'tagtrail-console': [...CONSOLE_ROUTES, '/', ...filesOf(CONSOLE_APP)],
    };
    for (const [service, paths] of Object.entries(served)) {
      const { http } = rules.find(
        ({
          http: {
            paths: [path],
          },
        }) => path?.backend.service.name === service,
      ) ?? {
        http: { paths: [] },
      };
      const isLetIn = (path: string) =>
        http.paths.some(({ path: given, pathType }) =>
          pathType === 'Exact' ? path === given : `${path}/`.startsWith(given.replace(/\/?$/, '/')),
        );
      expect(paths.filter((path) => !isLetIn(path))).to.deep.equal([]);
      expect(['/metrics', '/metrics/', '/readyz'].filter(isLetIn)).to.deep.equal([]);
    }
  });

  it('run nothing as root, and nothing that can write to its root file system', () => {
    const pods = objects.flatMap(({ spec }) => (spec?.template === undefined ? [] : [spec.template.spec]));
    expect(pods).to.have.lengthOf(7);
    for (const { securityContext, containers } of pods) {
      expect(securityContext).to.deep.include({ runAsNonRoot: true, runAsUser: 1000 });
      for (const container of containers) {
        expect(container.securityContext).to.deep.equal({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      }
    }
  });

  it('give each process every secret setting that it has, and the command line all of them', () => {
    const example = documentsOf(readDeployed('kubernetes/secrets.example.yaml'));
    const keysOf = (name: string) =>
      Object.keys(example.find(({ metadata }) => metadata.name === name)?.stringData ?? {});
    const containerOf = (component: string) =>
      objects.find(
        ({ kind, metadata }) =>
          /^(Deployment|StatefulSet)$/.test(kind) &&
          metadata.labels?.['app.kubernetes.io/component'] === component,
      )?.spec.template.spec.containers[0];
    // Addresses may have passwords; these have none.
    const open = Object.keys(objects.find(({ kind }) => kind === 'ConfigMap')?.data ?? {});
    const all = { api: API_SETTINGS, console: CONSOLE_SETTINGS, 'handheld-gateway': GATEWAY_SETTINGS };
    // The owner migrates, and finishes that.
    const { MIGRATE_DATABASE_URL: _, ...worker } = WORKER_SETTINGS;
    for (const [component, settings] of Object.entries({ ...all, 'mqtt-ingest': INGEST_SETTINGS, worker })) {
      const given = containerOf(component).env.map(({ name }: { name: string }) => name);
      const names = Object.entries(settings)
        .filter(([name, setting]) => (setting as Setting<unknown>).isSecret && !open.includes(name))
        .map(([name]) => name);
      expect(names, component).to.include('DATABASE_URL');
      expect(given, component).to.include.members(names);
      expect(keysOf('tagtrail-secrets'), component).to.include.members(names);
    }
    expect(containerOf('command-line').envFrom).to.deep.equal([
      { configMapRef: { name: 'tagtrail-settings' } },
      { secretRef: { name: 'tagtrail-secrets' } },
      { secretRef: { name: 'tagtrail-owner', optional: true } },
    ]);
    expect(keysOf('tagtrail-owner')).to.deep.equal(['MIGRATE_DATABASE_URL']);
  });

  it('select pods that there are, by ports that they have', () => {
    for (const service of objects.filter(({ kind }) => kind === 'Service')) {
      const pod = objects.find(({ spec }) => matches(service.spec.selector, spec?.template?.metadata.labels));
      const named = pod?.spec.template.spec.containers[0].ports.map(({ name }: { name: string }) => name);
      expect(named, service.metadata.name).to.include(service.spec.ports[0].targetPort);
    }
    for (const { kind, spec } of objects.filter(({ kind: each }) => each === 'HorizontalPodAutoscaler')) {
      const target = objects.find(
        (object) =>
          object.kind === spec.scaleTargetRef.kind && object.metadata.name === spec.scaleTargetRef.name,
      );
      expect(target, kind).not.to.equal(undefined);
      // Its own number would undo the autoscaler's at every apply.
      expect(target?.spec).not.to.have.property('replicas');
    }
    const budgets = objects.filter(({ kind }) => kind === 'PodDisruptionBudget');
    expect(budgets).to.have.lengthOf(5);
    for (const { spec } of budgets) {
      const labels = objects.map((object) => object.spec?.template?.metadata.labels);
      expect(labels.some((each) => matches(spec.selector.matchLabels, each))).to.equal(true);
    }
  });
});

interface KubernetesObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the kind has; its schema is checked above.
  spec: any;
}

interface IngressRule {
  http: {
    paths: {
      path: string;
      pathType: 'Exact' | 'Prefix';
      backend: { service: { name: string } };
    }[];
  };
}

const CONSOLE_ROUTES = [...MEMBER_ROUTES, ...VISITOR_ROUTES].map(({ path }) => path);

/** As the app asks for them, not their compressed copies. */
function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.(br|gz)$/.test(entry.name))
    .map((entry) => `/${relative(folder, join(entry.parentPath, entry.name))}`);
}

function documentsOf(text: string): KubernetesObject[] {
  return parseAllDocuments(text).map((document) => document.toJS());
}

function faultsOf(objects: readonly KubernetesObject[]): string {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [join(import.meta.dirname, 'validate-manifests.ts')],
    {
      encoding: 'utf8',
      input: JSON.stringify(objects),
    },
  );
  return stdout + stderr;
}

/** What the type checker says of the objects as literals of the types that Kubernetes publishes. */
function unknownFields(objects: readonly KubernetesObject[]): string {
  // Inside the project, so that the types are found.
  const folder = mkdtempSync(join(PROJECT, 'node_modules', '.manifests-'));
  const lines = objects.flatMap((object, index) => [
    `import type { I${object.kind} as T${index} } from '${moduleOf(object)}';`,
    `export const object${index}: T${index} = ${JSON.stringify(object)};`,
  ]);
  writeFileSync(join(folder, 'manifests.ts'), lines.join('\n'));
  const tsc = [
    '--noEmit',
    '--ignoreConfig',
    '--skipLibCheck',
    '--module',
    'nodenext',
    '--types',
    'node',
    'manifests.ts',
  ];
  const { stdout, stderr } = spawnSync(join(PROJECT, 'node_modules/.bin/tsc'), tsc, {
    cwd: folder,
    encoding: 'utf8',
  });
  rmSync(folder, { recursive: true });
  return stdout + stderr;
}

function moduleOf({ apiVersion, kind }: KubernetesObject): string {
  return `kubernetes-models/${apiVersion}/${kind}`;
}

function matches(selector: Record<string, string>, labels: Record<string, string> | undefined): boolean {
  return labels !== undefined && Object.entries(selector).every(([name, value]) => labels[name] === value);
}
