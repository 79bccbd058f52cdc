import { setTimeout as lasts } from 'node:timers/promises';
import { memoryOf } from '../support/processor-time.ts';
import { createCrashingDatabase } from './crashing-database.ts';
import type { Findings } from './findings.ts';
import { Scenario, type ScenarioOptions } from './scenario.ts';
import { unlessAborted } from './unless-aborted.ts';

export interface OutageRun {
  source: ScenarioOptions['source'];
  findings: Findings;
  /** Messages a second. */
  rate: number;
  readerDisconnects: number;
  /** While the database was away. */
  acknowledged: number;
  /** By how much ingestion grew while it was away and while it caught up, in MiB. */
  grewBy: number;
  /** Milliseconds to the first acknowledgement after it was back. */
  firstCommit: number;
  /** Of the rate. */
  drainedAt: number;
}

/** A minute without database, at half of what ingestion just did without one. */
export async function runOutage(
  source: ScenarioOptions['source'],
  seconds: number,
  isTimescale: boolean,
  signal: AbortSignal,
): Promise<OutageRun> {
  const database = await createCrashingDatabase(isTimescale);
  try {
    const scenario = await Scenario.start(database, {
      source,
      keepalive: 20,
      ahead: 20_000,
      traffic: {
        readers: 8,
        assets: 2_000,
        readsPerMessage: 50,
        messages: 200_000,
        undecodableEvery: 500,
        refusedEvery: Number.POSITIVE_INFINITY,
      },
    });
    try {
      return await unlessAborted(signal, () => run(scenario, source, seconds));
    } finally {
      await scenario.end();
    }
  } finally {
    await database.remove();
  }
}

/** Messages by which the most that ingestion can do is measured. */
const MEASURED = 2_000;

async function run(
  scenario: Scenario,
  source: ScenarioOptions['source'],
  seconds: number,
): Promise<OutageRun> {
  const begun = performance.now();
  await scenario.publish(MEASURED);
  await scenario.caughtUp();
  const rate = MEASURED / ((performance.now() - begun) / 1_000) / 2;

  const load = scenario.publishSteadily(rate);
  await scenario.progressed(rate * 5);
  const pid = scenario.ingest[0]?.pid ?? 0;
  const memory = memoryOf(pid);
  let most = memory;
  const watch = setInterval(() => {
    most = Math.max(most, memoryOf(pid));
  }, 200);
  scenario.links.database.cut();
  await lasts(1_000);
  const { acknowledgements } = scenario.tap;
  await lasts(seconds * 1_000);
  const acknowledged = scenario.tap.acknowledgements - acknowledgements;
  const since = performance.now();
  const before = scenario.tap.acknowledged.size;
  scenario.links.database.mend();
  await scenario.tap.nextAcknowledgement();
  const firstCommit = performance.now() - since;
  while (load.behind() > rate / 2) {
    await scenario.tap.nextAcknowledgement();
  }
  const drainedAt = (scenario.tap.acknowledged.size - before) / ((performance.now() - since) / 1_000) / rate;
  clearInterval(watch);
  await load.stop();
  const readerDisconnects = scenario.publishers.disconnects;
  return {
    source,
    findings: await scenario.finish(),
    rate,
    readerDisconnects,
    acknowledged,
    grewBy: (most - memory) / 2 ** 20,
    firstCommit,
    drainedAt,
  };
}
