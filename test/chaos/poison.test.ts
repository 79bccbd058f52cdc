import { expect } from 'chai';
import { useDatabase } from '../support/database.ts';
import { NO_FAULTS } from './findings.ts';
import { withScenario } from './with-scenario.ts';

describe('messages that cannot be decoded or that the database refuses, among others', () => {
  const database = useDatabase();

  it('are kept as rejected and acknowledged, and cost no other message its reads', () =>
    withScenario(
      database,
      { source: 'embedded', traffic: { messages: 300, undecodableEvery: 5, refusedEvery: 10 } },
      async (scenario) => {
        await scenario.publish();
        expect((await scenario.finish()).faults).to.deep.equal(NO_FAULTS);
        const [kept] = await database.rows(
          `select count(*) filter (where reason like 'it could not be recorded%') as refused,
             count(*) filter (where reason not like 'it could not be recorded%') as undecodable
           from rejected_messages`,
        );
        expect(kept).to.deep.equal({ refused: 30, undecodable: 60 });
      },
    ));
});
