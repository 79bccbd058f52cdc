import { expect } from 'chai';
import { type Database, databaseOn } from '../../../../db/timescale/connections/database.ts';
import { verbsOn } from '../../../../db/timescale/queries/verbs.ts';
import { createReader } from '../../../../domain/administration/readers/create-reader.ts';
import { deleteReader } from '../../../../domain/administration/readers/delete-reader.ts';
import { requireRoomForReader } from '../../../../domain/administration/readers/require-room.ts';
import { setAntenna } from '../../../../domain/administration/readers/set-antenna.ts';
import { loadBuiltinFormats } from '../../../../domain/formats/mapping/builtin.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { MeasuredClient } from '../../../support/measured-client.ts';
import { Site } from '../../../support/site.ts';

describe('readers and antennas of an organization', () => {
  const database = useDatabase();
  let db: Database;
  let site: Site;
  let made = 0;
  before(() => {
    db = databaseOn(database.pool);
  });
  beforeEach(async () => {
    site = await Site.create(database);
  });

  /** As many readers as there may be, or antennas, at once: what triggers do with each is not the point. */
  const fill = (statement: string, count: number) =>
    database.rows(
      `set session_replication_role = replica; ${statement
        .replaceAll('$ORG', String(site.orgId))
        .replaceAll('$COUNT', String(count))}; reset session_replication_role`,
    );
  const fillReaders = (count: number) =>
    fill(
      `insert into readers (org_id, name, topic, format, mqtt_username, mqtt_password_sha256)
       select $ORG, 'r' || at, 'org-$ORG/' || at, 'tagtrail', 'r-$ORG-' || at, sha256('') from generate_series(1, $COUNT) at`,
      count,
    );
  const fillAntennas = (readerId: number, ports: string, count: number) =>
    fill(
      `insert into antennas (org_id, reader_id, port) select $ORG, ${readerId}, at from generate_series(${ports}) at
       limit $COUNT`,
      count,
    );
  const register = () => {
    const name = `new-${++made}`;
    return createReader(db, TEST_ACTOR, loadBuiltinFormats(), {
      ...{ orgId: site.orgId, name, topic: `org-${site.orgId}/${name}`, format: 'tagtrail', policies: {} },
    });
  };
  const set = (readerId: number, port: number) =>
    setAntenna(db, TEST_ACTOR, { readerId, port, minRssi: -60 });
  const refusalOf = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error) => `${error.code}: ${error.message}`,
    );

  it('are 20,000 readers at most, until one is deleted; those that are there stay', async () => {
    await fillReaders(20_001);
    const refusal = `conflict: Organization ${site.orgId} has 20001 readers; the maximum is 20000; delete one first`;
    expect(await refusalOf(register())).to.equal(refusal);
    const rows = await database.rows<{ id: number }>('select id from readers where org_id = $1 limit 2', [
      site.orgId,
    ]);
    for (const { id } of rows) {
      await deleteReader(db, TEST_ACTOR, id);
    }
    // Of two at once one takes the last room.
    const both = await Promise.all([refusalOf(register()), refusalOf(register())]);
    expect(both.toSorted()).to.deep.equal([refusal.replace('20001', '20000'), null].toSorted());
  });

  it('are registered no more after 20,000 were deleted within 30 days', async () => {
    await fillReaders(20_000);
    const age = (days: number) =>
      fill(`update readers set deleted_at = now() - interval '${days} days' where org_id = $ORG`, 0);
    await age(29);
    expect(await refusalOf(register())).to.equal(
      `conflict: Organization ${site.orgId} deleted 20000 readers within 30 days; after 20000 it cannot register ` +
        'others; change a registered reader instead, or wait',
    );
    await age(31);
    expect(await refusalOf(register())).to.equal(null);
  });

  it('are counted without reading those that were deleted long ago', async () => {
    await fillReaders(20_000);
    await fill(`update readers set deleted_at = now() - interval '31 days' where org_id = $ORG`, 0);
    await fill(
      `insert into antennas (org_id, reader_id, port) select org_id, id, 1 from readers where org_id = $ORG`,
      0,
    );
    await deleteReader(db, TEST_ACTOR, (await register()).id);
    await register();
    await database.rows('vacuum analyze readers');
    await database.rows('vacuum analyze antennas');
    const measured = await MeasuredClient.connect(database.url, 'auto', true);
    try {
      const statements = await measured.measure((client) =>
        requireRoomForReader(
          verbsOn((query) => client.query(query)),
          site.orgId,
        ),
      );
      for (const part of ['as deleted', 'from antennas']) {
        const counts = [...statements].filter(([text]) => text.includes(part));
        expect(counts, part).to.have.length(1);
        expect(counts[0]?.[1].rows, part).to.be.at.most(20);
      }
    } finally {
      await measured.client.end();
    }
  });

  it('are 1,024 antennas of a reader at most; each of them can still be set', async () => {
    const readerId = await site.reader(`full-${site.orgId}`, []);
    await fillAntennas(readerId, '1, 1023', 1_023);
    const both = await Promise.all([refusalOf(set(readerId, 2_000)), refusalOf(set(readerId, 3_000))]);
    expect(both.filter((refusal) => refusal !== null)).to.deep.equal([
      `conflict: Reader ${readerId} has 1024 antennas; the maximum is 1024; use one of these, or delete the reader and ` +
        'register it again',
    ]);
    expect(await set(readerId, 7)).to.include({ minRssi: -60 });
    const other = await register();
    expect(await set(other.id, 2_000)).to.include({ number: 2_000 });
  });

  it('are 80,000 antennas at most, those of deleted readers aside', async () => {
    const [gone, full] = [await register(), await register()];
    await fillAntennas(gone.id, '2, 20000', 19_999);
    for (let at = 0; at < 4; at += 1) {
      const readerId = await site.reader(`full-${site.orgId}-${at}`, []);
      await fillAntennas(readerId, '1, 20000', 15_000 - (at === 3 ? 2 : 0));
    }
    // With antenna 1 of both.
    const refusal = `conflict: The readers of organization ${site.orgId} have 80000 antennas; the maximum is 80000; delete a reader first`;
    expect(await refusalOf(set(full.id, 2))).to.equal(null);
    const rest = await Promise.all([refusalOf(set(full.id, 3)), refusalOf(register())]);
    expect(rest).to.deep.equal([refusal, refusal]);
    await deleteReader(db, TEST_ACTOR, gone.id);
    expect(await refusalOf(set(full.id, 3))).to.equal(null);
  });
});
