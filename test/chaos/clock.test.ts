import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { useDatabase } from '../support/database.ts';
import { libfaketime, useProgram } from '../support/programs.ts';
import { itByNight } from '../support/random-sets.ts';
import { NO_FAULTS } from './findings.ts';
import { withScenario } from './with-scenario.ts';

/** Of the machine ingestion runs on, against the right time. */
const JUMPS = ['+1h', '-1h', '+1d', '-10m'];

describe("a clock of ingestion's machine that jumps", () => {
  useProgram('faketime');
  const database = useDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-chaos-'));
  after(() => rmSync(folder, { recursive: true }));

  itByNight('costs no read, doubles none, and dates none by the wrong time', () => {
    const offset = join(folder, 'offset');
    writeFileSync(offset, '+0');
    const environment = {
      LD_PRELOAD: libfaketime(),
      FAKETIME_TIMESTAMP_FILE: offset,
      FAKETIME_NO_CACHE: '1',
      // Timers go by the monotonic clock, which does not jump.
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    };
    return withScenario(database, { source: 'embedded', environment }, async (scenario) => {
      const publishing = scenario.publish();
      for (const [number, jump] of JUMPS.entries()) {
        await scenario.reached((number + 0.5) / (JUMPS.length + 1));
        writeFileSync(offset, jump);
        // Until it is killed, and from when it is back, it would record by the wrong time.
        const [ingest] = scenario.ingest;
        await ingest?.kill();
        await ingest?.startUntilReady();
        writeFileSync(offset, '+0');
      }
      await publishing;
      const { faults, toldTwice } = await scenario.finish();
      expect({ faults, toldTwice }).to.deep.equal({ faults: NO_FAULTS, toldTwice: 0 });
      const [times] = await database.rows(
        `select bool_or(received_at > now() + interval '5 seconds') as ahead,
           bool_or(received_at < now() - interval '9 minutes') as behind from scan_events`,
      );
      expect(times).to.deep.equal({ ahead: false, behind: false });
    });
  });
});
