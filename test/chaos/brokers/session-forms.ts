import { show, spreadOf } from '../../support/statistics.ts';
import type { Broker } from '../broker.ts';
import { createCrashingDatabase } from '../crashing-database.ts';
import { KILL_OPTIONS, readKillOptions } from '../kill-options.ts';
import type { LongForm } from '../long-form.ts';
import { onOrOff } from '../options.ts';
import { randomFrom } from '../random-from.ts';
import { isClean, showStored } from '../report.ts';
import { prepareHivemq } from './hivemq.ts';
import { prepareRmqtt, readRmqttStorage } from './rmqtt.ts';
import type { SessionOptions } from './session-options.ts';
import { runSessions, type SessionRun } from './session-run.ts';
import { Stall } from './stall.ts';

const SHARED = { shared: { type: 'string', default: 'on' } } as const;

export const HIVEMQ: LongForm = {
  summary: 'HiveMQ Community Edition and several processes of ingestion, killed in turn (HIVEMQ_JARS)',
  options: `${KILL_OPTIONS} [--shared on|off]`,
  run: async (args, isTimescale, signal) => {
    const { options, values } = readKillOptions(args, SHARED);
    const isShared = onOrOff('shared', values.shared);
    return killInTurn(await prepareHivemq(), { ...options, isShared }, { isTimescale, signal });
  },
};

export const RMQTT: LongForm = {
  summary:
    'three nodes of RMQTT and several processes of ingestion, killed in turn (rmqttd of the PATH, or RMQTTD)',
  options: `${KILL_OPTIONS} [--shared on|off] [--storage none|sessions|messages]`,
  run: async (args, isTimescale, signal) => {
    const storage = { type: 'string', default: 'none' } as const;
    const { options, values } = readKillOptions(args, { ...SHARED, storage });
    const isShared = onOrOff('shared', values.shared);
    const broker = await prepareRmqtt(readRmqttStorage(values.storage));
    return killInTurn(broker, { ...options, isShared }, { isTimescale, signal });
  },
};

async function killInTurn(
  broker: Broker,
  options: SessionOptions,
  { isTimescale, signal }: { isTimescale: boolean; signal: AbortSignal },
): Promise<boolean> {
  const database = await createCrashingDatabase(isTimescale);
  try {
    const run = await runSessions(broker, database, options, { random: randomFrom(options.seed), signal });
    console.log(showRun(run, options));
    return isClean(run.findings);
  } catch (error) {
    if (error instanceof Stall) {
      console.log(error.message);
      return false;
    }
    throw error;
  } finally {
    await database.remove();
  }
}

function showRun(run: SessionRun, { processes, kills, isShared }: SessionOptions): string {
  const { published } = run.findings;
  return [
    `${processes} processes of ingestion, ${isShared ? 'shared subscriptions' : 'ordinary sessions in turns'}, ${run.seconds.toFixed(0)} s`,
    `  published             ${published.reads} reads in ${published.messages} messages`,
    `  handed to ingestion   ${published.handedOver} messages, of which it acknowledged ${published.acknowledged}`,
    `  faults                ${Math.ceil(kills / 2)} kills of the broker or a node of it, ${Math.floor(kills / 2)} of ingestion`,
    `  lost by the broker    ${published.republished} messages that it had acknowledged; readers published them again`,
    `  readers disconnected  ${run.readerDisconnects} times`,
    `  first commit, ms      after a kill ${run.afterKill.length === 0 ? 'none' : show(spreadOf(run.afterKill), 0)}`,
    ...showStored(run.findings),
  ].join('\n');
}
