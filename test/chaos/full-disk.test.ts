import { expect } from 'chai';
import { useDatabase } from '../support/database.ts';
import { NO_FAULTS } from './findings.ts';
import { withScenario } from './with-scenario.ts';

/** The first message that cannot be decoded. */
const UNDECODABLE = 99;

/** What the server says when a table cannot grow (SQLSTATE 53100). */
const DISK_FULL = `create function disk_full() returns trigger language plpgsql as $$
  begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`;

describe('a full disk under the rejected messages', function () {
  this.timeout(120_000);
  const database = useDatabase();

  it('leaves what cannot be kept unacknowledged, and all is there when there is room again', () =>
    withScenario(database, { source: 'embedded', traffic: { refusedEvery: Infinity } }, async (scenario) => {
      await database.rows(DISK_FULL);
      await database.rows(
        'create trigger disk_full before insert on rejected_messages for each row execute function disk_full()',
      );
      const publishing = scenario.publish();
      // Half of the readers: those whose messages are not committed in one batch with the undecodable ones.
      await scenario.reached(0.5);
      expect(await database.rows('select from rejected_messages')).to.deep.equal([]);
      expect(scenario.tap.acknowledged.has(UNDECODABLE)).to.equal(false);
      await database.rows('drop trigger disk_full on rejected_messages');
      await publishing;
      expect(scenario.tap.acknowledged.has(UNDECODABLE)).to.equal(true);
      expect((await scenario.finish()).faults).to.deep.equal(NO_FAULTS);
    }));
});
