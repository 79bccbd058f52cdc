import { expect } from 'chai';
import { useDatabase } from '../support/database.ts';
import { useProgram } from '../support/programs.ts';
import { NO_FAULTS } from './findings.ts';
import { type RabbitSetting, runRabbitKills } from './rabbit-kills.ts';

/** Without reads that have no time, which RabbitMQ 3.10, that of Debian 12, does not tell apart. */
const SETTING: RabbitSetting = {
  nodes: 1,
  timelessEvery: Number.POSITIVE_INFINITY,
  undecodableEvery: 100,
  refusedEvery: 300,
};

describe('RabbitMQ and a process of ingestion killed in the middle of the publishes', () => {
  useProgram('rabbitmq-server');
  const database = useDatabase();

  it('lose nothing that was acknowledged, and double nothing', async () => {
    const options = { seed: 1, messages: 600, readsPerMessage: 10, processes: 2, kills: 2 };
    const { findings, ...run } = await runRabbitKills(
      database,
      options,
      new AbortController().signal,
      SETTING,
    );
    expect(findings.faults).to.deep.equal(NO_FAULTS);
    expect(findings.published.messages).to.equal(options.messages);
    expect(run).to.include({ processKills: 1, nodeKills: 1 });
    expect(run.readerDisconnects).to.be.above(0);
  });
});
