import { setTimeout as lasts } from 'node:timers/promises';
import { type CrashingDatabase, createCrashingDatabase } from './crashing-database.ts';
import type { Findings } from './findings.ts';
import { ASSETS, type ChaosOptions } from './options.ts';
import { Scenario, type ScenarioOptions } from './scenario.ts';
import { unlessAborted } from './unless-aborted.ts';

export interface LongRun {
  source: ScenarioOptions['source'];
  findings: Findings;
  seconds: number;
  kills: number;
  sealerKills: number;
  apiKills: number;
  receiverKills: number;
  restarts: number;
  cuts: number;
  brokerKills: number;
  readerDisconnects: number;
  /** Milliseconds to the first acknowledgement, other faults at the same time included. */
  afterKill: number[];
  afterRestart: number[];
}

/**
 * All faults in one run, each kind at moments of its own that `random` chooses, so that they meet: a share of the
 * messages is let through between two of a kind.
 *
 * @param random from 0 to 1.
 */
export async function runLong(
  source: ScenarioOptions['source'],
  options: ChaosOptions,
  isTimescale: boolean,
  random: () => number,
  { onProgress, signal }: { onProgress: (line: string) => void; signal: AbortSignal },
): Promise<LongRun> {
  const database = await createCrashingDatabase(isTimescale);
  try {
    const scenario = await Scenario.start(database, {
      source,
      processes: source === 'mosquitto' ? 2 : 1,
      ahead: 20_000,
      keepalive: 20,
      isTold: options.hasWebhooks,
      isFollowed: true,
      traffic: {
        seed: options.seed,
        readers: 8,
        assets: ASSETS,
        messages: Math.ceil(options.reads / options.readsPerMessage),
        readsPerMessage: options.readsPerMessage,
        undecodableEvery: 500,
        refusedEvery: 5_000,
      },
    });
    try {
      return await unlessAborted(signal, () =>
        runFaults(scenario, database, { source, options, random, onProgress }),
      );
    } finally {
      await scenario.end();
    }
  } finally {
    await database.remove();
  }
}

/** Longest, in milliseconds, that a network is down or silent, and that each piece is late on a slow one. */
const DOWN = 2_000;
const SLOW = 60;

async function runFaults(
  scenario: Scenario,
  database: CrashingDatabase,
  {
    source,
    options,
    random,
    onProgress,
  }: {
    source: ScenarioOptions['source'];
    options: ChaosOptions;
    random: () => number;
    onProgress: (line: string) => void;
  },
): Promise<LongRun> {
  const start = performance.now();
  const afterKill: number[] = [];
  const afterRestart: number[] = [];
  const counts = {
    kills: 0,
    sealerKills: 0,
    apiKills: 0,
    receiverKills: 0,
    restarts: 0,
    cuts: 0,
    brokerKills: 0,
  };
  const links = [...new Set(Object.values(scenario.links))];
  /** Makes a fault so many times, at random moments spread over the run. */
  const spread = async (times: number, fault: (number: number) => Promise<void>) => {
    for (let number = 0; number < times; number++) {
      await scenario.reached(((number + random()) / times) * LAST_FAULT);
      await fault(number);
      onProgress(
        `${source}: ${scenario.tap.acknowledged.size} of ${scenario.traffic.messages} messages, ${JSON.stringify(counts)}`,
      );
    }
  };
  const publishing = scenario.publish();
  await Promise.all([
    spread(options.kills, async (number) => {
      const recovery = await scenario.killIngest(number % scenario.ingest.length);
      afterKill.push(...known(recovery?.sinceKill ?? null));
      counts.kills += 1;
    }),
    spread(options.sealerKills, async () => {
      await scenario.killSealer();
      counts.sealerKills += 1;
    }),
    spread(options.apiKills, async () => {
      await scenario.feed?.killApi();
      counts.apiKills += 1;
    }),
    spread(scenario.webhooks === null ? 0 : options.receiverKills, async () => {
      await scenario.webhooks?.receiver.kill();
      counts.receiverKills += 1;
    }),
    spread(options.restarts, async () => {
      await database.restart();
      afterRestart.push(...known(await scenario.firstAcknowledgement()));
      counts.restarts += 1;
    }),
    spread(options.cuts, async (number) => {
      const link = links[number % links.length] as (typeof links)[number];
      if (random() < 0.5) {
        link.stall();
        await lasts(random() * DOWN);
      }
      link.cut();
      await lasts(random() * DOWN);
      link.mend();
      link.slow(random() * SLOW);
      await lasts(DOWN);
      link.mend();
      counts.cuts += 1;
    }),
    spread(scenario.broker === null ? 0 : options.brokerKills, async () => {
      await scenario.killBroker();
      counts.brokerKills += 1;
    }),
  ]);
  await publishing;
  const readerDisconnects = scenario.publishers.disconnects;
  onProgress(`${source}: all published, looking for what is wrong`);
  const findings = await scenario.finish();
  return {
    source,
    findings,
    seconds: (performance.now() - start) / 1_000,
    ...counts,
    readerDisconnects,
    afterKill,
    afterRestart,
  };
}

/** The last faults come before this share of the messages, so that there is something left to go on with. */
const LAST_FAULT = 0.95;

const known = (figure: number | null) => (figure === null ? [] : [figure]);
