import { expect } from 'chai';
import { type Instant, wireTimeOfMicros } from '../../../../base/timestamps.ts';
import type { Client } from '../../../../db/timescale/connections/client.ts';
import { takeSubmission } from '../../../../services/handheld-gateway/recording/record-submission.ts';
import { recordIn } from '../../../support/concurrently.ts';
import { useDatabase } from '../../../support/database.ts';
import { emptyStatistics } from '../../../support/empty-statistics.ts';
import { type Measured, MeasuredClient } from '../../../support/measured-client.ts';
import { RULES, record } from '../../../support/recording.ts';
import { CRATES, Crates, SECOND, START } from './crates.ts';

/**
 * A plan that is made for such an organization expects a row of it at the most, by whatever index that begins with
 * `org_id`. Every batch is recorded and rolled back on a connection of its own; what it takes is counted and not timed.
 */
describe('batches of an organization that came after the last statistics', () => {
  const database = useDatabase();
  const measured: Record<string, ReadonlyMap<string, Measured>> = {};
  const plannedForOne: string[] = [];

  before(async () => {
    const others = await Crates.create(database, CRATES);
    await record(database, others.reads(0, CRATES, 3));
    await database.rows('analyze');
    const tables = await database.rows<{ name: string }>(
      `select oid::regclass::text as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
    );
    for (const { name } of tables) {
      await database.rows(`alter table ${name} set (autovacuum_enabled = off)`);
    }
    const crates = await Crates.create(database, CRATES);
    await measure('first reads', (connection) => recordIn(connection, crates.reads(0, CRATES, 1)));
    await record(database, crates.reads(0, CRATES, 3));
    await measure('repeated reads and moves', (connection) =>
      recordIn(connection, crates.reads(0, CRATES, 4)),
    );
    await measure('late, repeated, stronger and unknown reads', (connection) =>
      recordIn(connection, crates.late(CRATES)),
    );
    await measure('a submission', (connection) => submit(connection, crates));
    const more = await Crates.create(database, CRATES);
    await emptyStatistics(database);
    await measure('first reads, in tables said to be empty', (connection) =>
      recordIn(connection, more.reads(0, CRATES, 1)),
    );
    await measure('late reads, in tables said to be empty', (connection) =>
      recordIn(connection, crates.late(CRATES)),
    );
    await measure('a submission, in tables said to be empty', (connection) => submit(connection, crates));
  });

  async function measure(name: string, work: (connection: Client) => Promise<unknown>): Promise<void> {
    const client = await MeasuredClient.connect(database.url);
    try {
      measured[name] = await client.measure(work);
      const { rows } = await client.client.query<{ name: string }>(
        'select name from pg_prepared_statements where custom_plans > 0 order by name',
      );
      plannedForOne.push(...rows.map((row) => row.name));
    } finally {
      await client.client.end();
    }
  }

  function submit(connection: Client, { site, handheldId, locationIds }: Crates): Promise<unknown> {
    const receivedAt = START + 3_600 * SECOND;
    const observedAt = wireTimeOfMicros(receivedAt - SECOND) as Instant;
    const scans = Array.from({ length: CRATES }, (_, crate) => ({
      tagType: 'rfid' as const,
      value: `crate-${crate}`,
      observedAt,
      rssi: null,
      guessed: false,
    }));
    return takeSubmission(
      connection,
      {
        id: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
        sentAt: observedAt,
        location: { id: locationIds.at(-1) ?? 0 },
        scans,
      },
      { orgId: site.orgId, handheldId, receivedAt },
      { rules: RULES, now: receivedAt, isCareful: false },
    );
  }

  for (const name of [
    'first reads',
    'repeated reads and moves',
    'late, repeated, stronger and unknown reads',
    'a submission',
    'first reads, in tables said to be empty',
    'late reads, in tables said to be empty',
    'a submission, in tables said to be empty',
  ]) {
    it(`have a few rows and pages in hand for each row: ${name}`, () => {
      const each = [...(measured[name] ?? [])].map(([statement, { rows, pages, scanned }]) => ({
        statement,
        rows: rows / CRATES,
        pages: pages / CRATES,
        scanned,
      }));
      expect(each).to.not.deep.equal([]);
      expect(
        each.filter(({ rows, pages, scanned }) => rows > 60 || pages > 60 || scanned.length > 0),
      ).to.deep.equal([]);
    });
  }

  it('are planned for any organization, and no look-up is planned again', () => {
    expect(plannedForOne).to.deep.equal([]);
  });
});
