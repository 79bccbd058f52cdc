import { show, spreadOf } from '../../support/statistics.ts';
import { createCrashingDatabase } from '../crashing-database.ts';
import type { LongForm } from '../long-form.ts';
import { randomFrom } from '../random-from.ts';
import { isClean, showStored } from '../report.ts';
import { prepareHivemq } from './hivemq-broker.ts';
import { HIVEMQ_OPTIONS, type HivemqOptions, readHivemqOptions } from './hivemq-options.ts';
import { type HivemqRun, runHivemq } from './hivemq-run.ts';
import { Stall } from './stall.ts';

export const HIVEMQ: LongForm = {
  summary: 'HiveMQ Community Edition and several processes of ingestion, killed in turn (HIVEMQ_JARS)',
  options: HIVEMQ_OPTIONS,
  run: killHivemq,
};

async function killHivemq(args: string[], isTimescale: boolean): Promise<boolean> {
  const options = readHivemqOptions(args);
  const broker = await prepareHivemq();
  const database = await createCrashingDatabase(isTimescale);
  try {
    const run = await runHivemq(broker, database, options, randomFrom(options.seed));
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

function showRun(run: HivemqRun, { processes, kills, isShared }: HivemqOptions): string {
  const { published } = run.findings;
  return [
    `${processes} processes of ingestion, ${isShared ? 'shared subscriptions' : 'ordinary sessions in turns'}, ${run.seconds.toFixed(0)} s`,
    `  published             ${published.reads} reads in ${published.messages} messages`,
    `  handed to ingestion   ${published.handedOver} messages, of which it acknowledged ${published.acknowledged}`,
    `  faults                ${Math.ceil(kills / 2)} kills of the broker, ${Math.floor(kills / 2)} of ingestion`,
    `  lost by the broker    ${published.republished} messages that it had acknowledged; readers published them again`,
    `  readers disconnected  ${run.readerDisconnects} times`,
    `  first commit, ms      after a kill ${run.afterKill.length === 0 ? 'none' : show(spreadOf(run.afterKill), 0)}`,
    ...showStored(run.findings),
  ].join('\n');
}
