import { createCrashingDatabase } from './crashing-database.ts';
import { KILL_OPTIONS, readKillOptions } from './kill-options.ts';
import type { LongForm } from './long-form.ts';
import { type RabbitRun, type RabbitSetting, runRabbitKills } from './rabbit-kills.ts';
import { isClean, showStored } from './report.ts';

const SETTING: RabbitSetting = { nodes: 3, timelessEvery: 5, undecodableEvery: 500, refusedEvery: 5_000 };

export const RABBITMQ: LongForm = {
  summary: 'three nodes of RabbitMQ and several ingest processes, killed in turn',
  options: KILL_OPTIONS,
  run: async (args, isTimescale, signal) => {
    const { options } = readKillOptions(args, {});
    const database = await createCrashingDatabase(isTimescale);
    try {
      const run = await runRabbitKills(database, options, signal, SETTING);
      console.log(show(run));
      return isClean(run.findings);
    } finally {
      await database.remove();
    }
  },
};

function show(run: RabbitRun): string {
  const { published } = run.findings;
  return [
    `RabbitMQ ${run.version}, ${SETTING.nodes} nodes, ${run.seconds.toFixed(0)} s`,
    `  published             ${published.reads} reads in ${published.messages} messages`,
    `  faults                ${run.processKills} kills of ingest processes, ${run.nodeKills} of nodes`,
    `  readers disconnected  ${run.readerDisconnects} times`,
    ...showStored(run.findings),
  ].join('\n');
}
