import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect } from 'chai';
import { API_SETTINGS } from '../../services/api/config.ts';
import { CONSOLE_SETTINGS } from '../../services/console/config.ts';
import { GATEWAY_SETTINGS } from '../../services/handheld-gateway/config.ts';
import { INGEST_SETTINGS } from '../../services/mqtt-ingest/config.ts';
import { WORKER_SETTINGS } from '../../services/worker/config.ts';
import { readDeployed, readYaml } from './folder.ts';

describe('the compose file', () => {
  const { services, networks } = readYaml('compose.yaml') as {
    services: Record<string, Service>;
    networks: Record<string, { internal?: boolean }>;
  };

  it('is what the specification of compose has a schema for, and a linter finds nothing in it', () => {
    for (const file of ['compose.yaml', 'compose.database-port.yaml']) {
      expect(lint(filledIn(readDeployed(file))), file).to.deep.equal({ status: 0, said: '' });
    }
    expect(lint('name: x\nservices: { x: { image: "x:1", imag: y } }\n').said).to.include(
      'must NOT have additional properties',
    );
  });

  it('asks for nothing that the example of its settings does not have', () => {
    const text = readDeployed('compose.yaml');
    const asked = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name));
    const example = Object.keys(parseEnv(readDeployed('env.example')));
    expect([...asked, 'TAGTRAIL_VERSION']).to.include.members(example);
    expect([...example, 'TAGTRAIL_VERSION']).to.include.members([...asked]);
  });

  it('gives the services settings that they have', () => {
    const settings = {
      api: API_SETTINGS,
      'mqtt-ingest': INGEST_SETTINGS,
      'handheld-gateway': GATEWAY_SETTINGS,
      console: CONSOLE_SETTINGS,
      worker: WORKER_SETTINGS,
    };
    for (const [name, known] of Object.entries(settings)) {
      // What is the same everywhere is given to all.
      const given = Object.keys(services[name]?.environment ?? {}).filter(
        (setting) => !/_DAYS$/.test(setting),
      );
      expect(Object.keys(known), name).to.include.members(given);
    }
  });

  it('gives the command line every setting that a command reads, with the value that the services have', () => {
    const folder = join(import.meta.dirname, '../../services/cli');
    const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .join('\n');
    const { environment = {} } = services['command-line'] ?? {};
    const ofServices = Object.values(services).flatMap(({ environment = {} }) => Object.entries(environment));
    for (const [name, value] of ofServices) {
      if (new RegExp(`\\b${name}\\b`).test(sources)) {
        expect(environment, name).to.have.property(name, value);
      }
    }
  });

  it('publishes what readers, handhelds, integrators and operators need, on this machine unless told otherwise', () => {
    const published = Object.entries(services).flatMap(([name, { ports = [] }]) =>
      ports.map((port) => `${name} ${port}`),
    );
    const address = `$${'{PUBLISH_ADDRESS:-127.0.0.1}'}`;
    expect(published).to.have.members([
      `broker ${address}:1883:1884`,
      `api ${address}:8080:8080`,
      `handheld-gateway ${address}:8081:8081`,
      `console ${address}:8083:8083`,
      `mqtt-ingest ${address}:8085:8085`,
      'grafana 127.0.0.1:3000:3000',
    ]);
    expect(networks).to.deep.include({ data: { internal: true }, metrics: { internal: true } });
    expect(services['database']?.networks).to.deep.equal(['data']);
  });

  it('starts everything again that ends, bounds what it takes, and lets nothing write but to its volumes', () => {
    for (const [name, service] of Object.entries(services)) {
      const endsByItself = ['migrate', 'broker-logins', 'command-line'].includes(name);
      expect(service.restart, name).to.equal(endsByItself ? 'no' : 'unless-stopped');
      if (name !== 'broker-logins') {
        expect(service.deploy?.resources.limits, name).to.have.all.keys('cpus', 'memory');
      }
      // The database's own image prepares its folders as root.
      if (name !== 'database') {
        expect(service, name).to.deep.include({ read_only: true, cap_drop: ['ALL'] });
        expect(service.security_opt, name).to.deep.equal(['no-new-privileges:true']);
      }
      expect(service.image, name).to.match(/:./);
    }
  });
});

interface Service {
  image: string;
  environment?: Record<string, string>;
  ports?: string[];
  networks?: string[];
  restart: string;
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  deploy?: { resources: { limits: object } };
}

/** As compose reads it; the linter does not know of interpolation. */
function filledIn(text: string): string {
  const filled = text.replaceAll(/\$\{\w+(?::-([^{}]*))?[^{}]*\}/g, (_, initial?: string) => initial ?? 'x');
  // An initial value may be another variable's.
  return filled === text ? text : filledIn(filled);
}

/** Checks against the schema of the compose specification first. Order and quotes are the formatter's, and taste. */
function lint(text: string): { status: number | null; said: string } {
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-compose-'));
  const file = join(folder, 'compose.yaml');
  writeFileSync(file, text);
  const require = createRequire(import.meta.url);
  const program = join(dirname(require.resolve('dclint/package.json')), 'bin/dclint.cjs');
  const without = TASTE.flatMap((rule) => ['--disable-rule', rule]);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [program, file, '--max-warnings', '0', ...without],
    {
      encoding: 'utf8',
    },
  );
  rmSync(folder, { recursive: true });
  return { status, said: (stdout + stderr).trim() };
}

const TASTE = [
  'service-keys-order',
  'services-alphabetical-order',
  'top-level-properties-order',
  'service-dependencies-alphabetical-order',
  'service-ports-alphabetical-order',
  'require-quotes-in-ports',
  'require-project-name-field',
];
