import { parseArgs } from 'node:util';
import { show, spreadOf } from '../support/statistics.ts';
import { until } from '../support/subscribed-ingest.ts';
import { AssetWriter } from './asset-writer.ts';
import type { LongForm } from './long-form.ts';
import { ASSETS, readsPerMessage, wholeNumber } from './options.ts';
import { PatroniCluster } from './patroni-cluster.ts';
import { isClean, showFindings } from './report.ts';
import { Scenario } from './scenario.ts';
import { unlessAborted } from './unless-aborted.ts';

export const PATRONI: LongForm = {
  summary:
    'PostgreSQL under Patroni, three nodes: kills of the leader and of its node, and switchovers by hand; takes root, ' +
    "and Debian's packages patroni, python3-etcd, etcd-server and postgresql-common",
  options: '[--kills 10] [--switchovers 5] [--batch 50] [--rate 10]',
  run: async (args, isTimescale, signal) => {
    const { values } = parseArgs({
      args,
      options: {
        kills: { type: 'string', default: '10' },
        switchovers: { type: 'string', default: '5' },
        batch: { type: 'string', default: '50' },
        rate: { type: 'string', default: '10' },
      },
    });
    const number = (name: keyof typeof values): number => wholeNumber(name, values[name]);
    const faults = { kills: number('kills'), switchovers: number('switchovers'), rate: number('rate') };
    const traffic = {
      readers: 8,
      assets: ASSETS,
      readsPerMessage: readsPerMessage(values.batch),
      messages: 200_000,
      undecodableEvery: 500,
      refusedEvery: Number.POSITIVE_INFINITY,
    };
    const cluster = await PatroniCluster.start(isTimescale);
    try {
      const scenario = await Scenario.start(cluster, {
        source: 'mosquitto',
        processes: 2,
        keepalive: 20,
        isTold: true,
        traffic,
      });
      try {
        return await unlessAborted(signal, () => runFailovers(cluster, scenario, faults));
      } finally {
        await scenario.end();
      }
    } finally {
      await cluster.remove();
    }
  },
};

/** Milliseconds that a node is away, at the most. */
const AWAY = 15_000;

/** Assets that are created before the next fault. */
const CREATED = 100;

/** What it was for those who create assets, in milliseconds but for the count of errors. */
interface Fault {
  stoodStill: number;
  failedFor: number;
  errors: number;
}

async function runFailovers(
  cluster: PatroniCluster,
  scenario: Scenario,
  { kills, switchovers, rate }: { kills: number; switchovers: number; rate: number },
): Promise<boolean> {
  const { apis, key } = scenario.feed ?? { apis: [], key: '' };
  const load = scenario.publishSteadily(rate);
  const writer = new AssetWriter(
    apis.map(({ url }) => url),
    key,
  );
  const cause = async (fault: () => Promise<unknown>): Promise<Fault> => {
    const since = performance.now();
    await fault();
    await cluster.whole();
    const back = performance.now();
    await until(() => writer.createdSince(back) >= CREATED);
    await scenario.progressed(rate);
    return {
      stoodStill: writer.stoodStill(since),
      failedFor: writer.failedFor(since),
      errors: writer.errorsSince(since),
    };
  };
  const kill = (isWithPatroni: boolean) =>
    cause(async () => {
      const before = performance.now();
      const node = await cluster.killLeader(isWithPatroni);
      // Whatever supervises it starts it again, too.
      await until(() => writer.createdSince(before + 1_000) > 0 || performance.now() - before > AWAY);
      node.restart();
    });
  await until(() => writer.createdSince(0) >= CREATED);
  const killed: Fault[] = [];
  const vanished: Fault[] = [];
  for (let number = 0; number < kills; number++) {
    const isWithPatroni = number % 2 === 1;
    (isWithPatroni ? vanished : killed).push(await kill(isWithPatroni));
  }
  const switched: Fault[] = [];
  for (let number = 0; number < switchovers; number++) {
    switched.push(await cause(() => cluster.switchOver()));
  }
  await load.stop();
  await writer.stop();
  const findings = await scenario.finish();
  const written = await writer.findFaults(cluster);
  const outcomes = Object.groupBy(writer.answers, ({ outcome }) => outcome);
  const count = (outcome: keyof typeof outcomes) => outcomes[outcome]?.length ?? 0;
  console.log(
    [
      '',
      `Patroni${cluster.isTimescale ? ', TimescaleDB' : ''}, three nodes, synchronous mode; mosquitto, two ingest processes, two of the API`,
      `  published             ${findings.published.reads} reads in ${findings.published.messages} messages`,
      `  assets by the API     ${count('created')} created; answered unavailable ${count('unavailable')}, unknown ${count('unknown')}`,
      `    lost ${written.lost}, doubled ${written.doubled}, created though said not ${written.createdAfterAll}, answered otherwise ${written.wrong}`,
      ...showFaults('leader killed', killed),
      ...showFaults('its node killed', vanished),
      ...showFaults('switchover', switched),
      ...showFindings(findings),
    ].join('\n'),
  );
  return isClean(findings) && Object.values(written).every((fault) => fault === 0);
}

function showFaults(name: string, faults: readonly Fault[]): string[] {
  const spread = (figures: number[]) => (figures.length === 0 ? 'none' : show(spreadOf(figures), 0));
  return [
    `  ${name}, ${faults.length} times`,
    `    nothing created for, ms   ${spread(faults.map(({ stoodStill }) => stoodStill))}`,
    `    first to last error, ms   ${spread(faults.map(({ failedFor }) => failedFor))}`,
    `    errors                    ${spread(faults.map(({ errors }) => errors))}`,
  ];
}
