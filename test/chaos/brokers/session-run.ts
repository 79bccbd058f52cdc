import type { Broker } from '../broker.ts';
import type { CrashingDatabase } from '../crashing-database.ts';
import type { Findings } from '../findings.ts';
import { ASSETS } from '../options.ts';
import { Scenario } from '../scenario.ts';
import { showProgress } from '../show-progress.ts';
import { unlessAborted } from '../unless-aborted.ts';
import type { SessionOptions } from './session-options.ts';
import { untilStall } from './stall.ts';

export interface SessionRun {
  findings: Findings;
  seconds: number;
  readerDisconnects: number;
  /** Milliseconds to the first acknowledgement after ingestion was killed. */
  afterKill: number[];
}

/** Milliseconds that the broker, or a node of it, is down. */
const DOWN = 2_000;

/** The last kill comes before this share of the messages. */
const LAST_KILL = 0.95;

/**
 * Several processes of ingestion at a broker, which is killed in turn with them, or one node of it after the other, at moments
 * that `random` chooses.
 *
 * @param random from 0 to 1.
 * @throws Stall
 */
export async function runSessions(
  broker: Broker,
  database: CrashingDatabase,
  options: SessionOptions,
  { random, signal }: { random: () => number; signal: AbortSignal },
): Promise<SessionRun> {
  const scenario = await Scenario.start(database, {
    source: 'mosquitto',
    broker,
    isShared: options.isShared,
    processes: options.processes,
    ahead: 20_000,
    keepalive: 20,
    traffic: {
      seed: options.seed,
      readers: 8,
      assets: ASSETS,
      messages: options.messages,
      readsPerMessage: options.readsPerMessage,
      undecodableEvery: 500,
      refusedEvery: 5_000,
    },
  });
  const over = new AbortController();
  try {
    return await unlessAborted(signal, () =>
      Promise.race([killInTurn(scenario, options, random), untilStall(scenario, over.signal)]),
    );
  } finally {
    over.abort();
    await scenario.end();
  }
}

async function killInTurn(
  scenario: Scenario,
  options: SessionOptions,
  random: () => number,
): Promise<SessionRun> {
  const start = performance.now();
  const afterKill: number[] = [];
  const publishing = scenario.publish();
  // Readers that are ended in the middle of it fail to publish, when a stall has ended the run.
  publishing.catch(() => {});
  for (let kill = 0; kill < options.kills; kill++) {
    showProgress(`${kill} kills, ${scenario.tap.acknowledged.size} of ${scenario.traffic.messages} messages`);
    await scenario.reached(((kill + random()) / options.kills) * LAST_KILL);
    if (kill % 2 === 0) {
      await scenario.crashBroker(DOWN);
    } else {
      const after = await scenario.killIngest(((kill - 1) / 2) % options.processes);
      afterKill.push(...(after === null ? [] : [after.sinceKill]));
    }
  }
  await publishing;
  showProgress('');
  const readerDisconnects = scenario.publishers.disconnects;
  return {
    findings: await scenario.finish(),
    seconds: (performance.now() - start) / 1_000,
    readerDisconnects,
    afterKill,
  };
}
