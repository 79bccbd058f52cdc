import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { get as getPlain } from 'node:http';
import { get as getOverTls } from 'node:https';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { newSecretsKey } from '../../domain/webhooks/secrets/secrets-key.ts';
import { BROKER_TLS } from '../support/certificates.ts';
import { useChecker } from '../support/checker.ts';
import { useDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { useMosquitto } from '../support/mosquitto.ts';
import { run } from '../support/process.ts';
import { itByNight } from '../support/random-sets.ts';
import { useRedis } from '../support/redis-server.ts';
import { until } from '../support/subscribed-ingest.ts';
import { expressionsOfAlerts, expressionsOfDashboard, metricsOf } from './expressions.ts';
import { readYaml } from './folder.ts';

describe('the metrics that alerts and the dashboard name', () => {
  useChecker('prometheus-node-exporter');
  const broker = useMosquitto();
  const redis = useRedis();
  const database = useDatabase();
  const asked = [...expressionsOfAlerts(), ...expressionsOfDashboard()];

  itByNight(
    'are all published by the processes, by the exporter of the machine, or by Prometheus itself',
    async () => {
      const environment = { DATABASE_URL: database.url, REDIS_URL: redis.url, MQTT_URL: broker.url };
      const published = await Promise.all([
        metricsOfService('api', {
          ...environment,
          ...BROKER_TLS,
          ...REPLICA,
          API_PORT: '0',
          SECRETS_KEY: newSecretsKey(),
        }),
        metricsOfService('handheld-gateway', { ...environment, HANDHELD_PORT: '0' }),
        metricsOfService('console', { ...environment, CONSOLE_PORT: '0', SECRETS_KEY: newSecretsKey() }),
        metricsOfService('mqtt-ingest', {
          ...environment,
          INGEST_PORT: '0',
          READERS_PORT: '0',
          MQTT_MOVES_PREFIX: 'site',
        }),
        metricsOfService('worker', {
          ...environment,
          ...MAIL,
          WORKER_PORT: '0',
          SECRETS_KEY: newSecretsKey(),
        }),
        metricsOfMachine(),
      ]);
      const known = new Set([...published.flat(), ...PROMETHEUS_OWN, ...OF_EMBEDDED_BROKER]);
      const named = new Set(asked.flatMap(metricsOf));
      expect(named.size).to.be.above(20);
      expect([...named]).to.include.members(['tagtrail_alerts_open', 'tagtrail_mail_messages_total']);
      expect([...named].filter((name) => !known.has(name))).to.deep.equal([]);
      expect(ownOf(published.flat()).length).to.be.above(50);
      expect(unseen(published.flat())).to.deep.equal([]);
    },
  );

  it('are published by everything in one process too, as far as they are of what it has', async () => {
    const program = run('services/standalone/main.ts', [], {
      ...MAIL,
      SECRETS_KEY: newSecretsKey(),
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      API_PORT: '0',
      HANDHELD_PORT: '0',
      CONSOLE_PORT: '0',
      READERS_PORT: '0',
      MQTT_PORT: '0',
      MQTT_MOVES_PREFIX: 'site',
    });
    await program.printed('Database');
    const [api = ''] = /http:\S+(?=\/api\/v1)/.exec(program.stdout()) ?? [];
    const [, handhelds = ''] = /Handhelds +(http:\S+)/.exec(program.stdout()) ?? [];
    const [, people = ''] = /Console +(http:\S+)/.exec(program.stdout()) ?? [];
    const published = await Promise.all([api, handhelds, people].map(namesAt));
    const known = new Set([...published.flat(), ...PROMETHEUS_OWN]);
    program.child.kill('SIGINT');
    await program.ended;
    const named = new Set(expressionsOfAlerts().flatMap(metricsOf));
    expect([...named].filter((name) => !known.has(name) && !name.startsWith('node_'))).to.have.members([
      ...OF_OTHER_BROKERS,
      'tagtrail_tls_certificate_expiry_timestamp_seconds',
    ]);
    expect(known).to.include.all.keys(OF_EMBEDDED_BROKER);
    expect(unseen(published.flat())).to.deep.equal([]);
  });

  it('are those of jobs that Prometheus is told to scrape', () => {
    const { scrape_configs: configs } = readYaml('prometheus/prometheus.yml') as {
      scrape_configs: { job_name: string }[];
    };
    const jobs = asked.flatMap((expression) =>
      [...expression.matchAll(/job="([^"]+)"/g)].map(([, job]) => job),
    );
    expect(configs.map(({ job_name: job }) => job))
      .to.include.members(jobs)
      .and.to.have.lengthOf(6);
  });
});

function ownOf(names: string[]): string[] {
  return [...new Set(names.filter((name) => name.startsWith('tagtrail_')).map(withoutPart))];
}

/** What is published, and neither an alert nor the dashboard would tell. */
function unseen(names: string[]): string[] {
  const named = [...expressionsOfAlerts(), ...expressionsOfDashboard()].flatMap(metricsOf).map(withoutPart);
  return ownOf(names).filter((name) => !named.includes(name));
}

/** Of a histogram any part will do. */
function withoutPart(name: string): string {
  return name.replace(/_(bucket|sum|count)$/, '');
}

/** The embedded broker has no sessions, and refuses itself nothing. */
const OF_OTHER_BROKERS = [
  'tagtrail_ingest_refused_subscriptions',
  'tagtrail_ingest_session_lost_timestamp_seconds',
];

const OF_EMBEDDED_BROKER = [
  'tagtrail_broker_connections',
  'tagtrail_broker_unauthenticated',
  'tagtrail_broker_unreleased',
  'tagtrail_broker_evicted_total',
  'tagtrail_broker_taken_over_total',
];

/** Nobody is there; the primary answers all lists. */
const REPLICA = {
  DATABASE_READ_URL: 'postgres://user:password@127.0.0.1:1/none?target_session_attrs=standby',
};

/** Nothing is sent, as there are no rules. */
const MAIL = { SMTP_URL: 'smtp://127.0.0.1:2525', MAIL_FROM: 'alerts@example.com' };

const PROMETHEUS_OWN = ['up', 'ALERTS'];

async function metricsOfService(name: string, environment: NodeJS.ProcessEnv): Promise<string[]> {
  const program = run(`services/${name}/main.ts`, [], environment);
  await program.printed('"address"');
  const [, address = ''] = /"address":"([^"]+)"/.exec(program.stdout()) ?? [];
  const names = await namesAt(address);
  program.child.kill('SIGTERM');
  await program.ended;
  return names;
}

async function metricsOfMachine(): Promise<string[]> {
  const address = `127.0.0.1:${await freePort()}`;
  const flags = (readYaml('compose.yaml').services.machine.command as string[]).filter(
    (flag) => !/rootfs/.test(flag),
  );
  const exporter = spawn('prometheus-node-exporter', [...flags, `--web.listen-address=${address}`], {
    stdio: 'ignore',
  });
  await until(() =>
    fetch(`http://${address}/`).then(
      () => true,
      () => false,
    ),
  );
  const names = await namesAt(`http://${address}`);
  exporter.kill();
  await once(exporter, 'exit');
  return names;
}

/** The names under which Prometheus knows what is published. */
async function namesAt(address: string): Promise<string[]> {
  const get = address.startsWith('https:') ? getOverTls : getPlain;
  const [answer] = await once(get(`${address}/metrics`, { rejectUnauthorized: false }), 'response');
  const published = await text(answer);
  return [...published.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = '', type]) =>
    type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name],
  );
}
