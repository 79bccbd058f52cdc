import { expect } from 'chai';
import { pino } from 'pino';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { examineTags, listAlikeTags } from '../../../domain/health/tags.ts';
import { beginRenewing, nextToRenew, renewNext } from '../../../domain/master-data/tags/renew-keys.ts';
import { resolveTags } from '../../../domain/tracking/resolve-tags.ts';
import type { TagType } from '../../../domain/tracking/tag-type.ts';
import { renewTagKeys } from '../../../services/worker/jobs/renew-keys.ts';
import { useDatabase } from '../../support/database.ts';
import { runDoctor } from '../../support/doctor.ts';
import { Site } from '../../support/site.ts';
import { until } from '../../support/subscribed-ingest.ts';
import { useWorker } from '../../support/worker.ts';

const database = useDatabase();

/** As a version without normal keys attaches it: its key is the value. */
async function attachedBefore(site: Site, key: string, value: string, tagType: TagType = 'barcode') {
  const id = await site.asset(key);
  await database.rows(
    `insert into tags (org_id, asset_id, tag_type, value, tag_key, attached_at) values ($1, $2, $3, $4, $4, now() - interval '1 day')`,
    [site.orgId, id, tagType, value],
  );
  return id;
}

async function found(site: Site, value: string, tagType: TagType = 'barcode') {
  const read = { orgId: site.orgId, tagType, value };
  return (await resolveTags(database.pool, [read])).get(read);
}

async function renewAll(orgId: number, batch: number, eachTime = async () => {}) {
  let after: number | null = await beginRenewing(database.pool, orgId);
  while (after !== null) {
    await eachTime();
    after = (await renewNext(database.pool, orgId, after, batch)).last;
  }
}

describe('the keys of tags that a former version attached', () => {
  it('are added batch by batch, and go on where they were left', async () => {
    const site = await Site.create(database);
    const ids: number[] = [];
    for (let index = 0; index < 7; index++) {
      ids.push(await attachedBefore(site, `EM-${index}`, `EM-${index}\r`));
    }
    expect(await found(site, 'EM-3\r')).to.include({ assetId: ids[3] });
    expect(await found(site, ']C0EM-3')).to.include({ kind: 'unknown' });
    await renewNext(database.pool, site.orgId, await beginRenewing(database.pool, site.orgId), 5);
    expect(await found(site, ']C0EM-3')).to.include({ assetId: ids[3] });
    expect(await found(site, ']C0EM-6')).to.include({ kind: 'unknown' });
    expect(await nextToRenew(database.pool, site.orgId - 1)).to.equal(site.orgId);
    await renewAll(site.orgId, 5);
    expect(await found(site, ']C0EM-6')).to.include({ assetId: ids[6] });
    expect(await nextToRenew(database.pool, site.orgId - 1)).to.equal(null);
  });

  it('make tags of two assets ambiguous that name one thing; doctor names both', async () => {
    const site = await Site.create(database);
    const [upc, ean] = [
      await attachedBefore(site, 'CRATE-1', '012345678905'),
      await attachedBefore(site, 'CRATE-2', '0012345678905'),
    ];
    const plain = await attachedBefore(site, 'DRUM-1', 'D-1');
    const blank = await attachedBefore(site, 'DRUM-2', 'D-1 ');
    await renewAll(site.orgId, 2);
    expect(await found(site, '(01)00012345678905')).to.include({ kind: 'ambiguous' });
    expect(await found(site, ']C0D-1')).to.include({ kind: 'ambiguous' });
    expect(await found(site, '012345678905')).to.include({ assetId: upc });
    expect(await found(site, '0012345678905')).to.include({ assetId: ean });
    expect(await found(site, 'D-1')).to.include({ assetId: plain });
    expect(await found(site, 'D-1 ')).to.include({ assetId: blank });
    const db = databaseOn(database.pool);
    const ofConsole = await examineTags(db, site.orgId);
    const messages = ofConsole.map(({ message }) => message);
    expect(messages).to.have.length(2);
    expect(messages.join()).to.include('barcode:012345678905 of CRATE-1, barcode:0012345678905 of CRATE-2');
    const doctor = await runDoctor({ DATABASE_URL: database.url });
    expect(doctor.of('tags').map(({ message, remedy }) => [message, remedy])).to.deep.equal(
      ofConsole.map(({ message, remedy }) => [message, remedy]),
    );
    for (const more of [']E00012345678905', '(01)00012345678905', '00012345678905']) {
      await database.rows(
        `insert into tags (org_id, asset_id, tag_type, value, tag_key, normal_key)
         select org_id, asset_id, tag_type, $2, $2, normal_key from tags where asset_id = $1 limit 1`,
        [upc, more],
      );
    }
    const [thing] = await listAlikeTags(db, site.orgId);
    expect(thing?.tags.map(({ owner }) => owner.external_key)).to.have.members([
      ...['CRATE-1', 'CRATE-1', 'CRATE-2'],
    ]);
    await database.rows('update tags set detached_at = now() where asset_id = any($1)', [[ean, blank]]);
    await database.rows(
      `update tags set detached_at = now() where asset_id = $1 and value <> '012345678905'`,
      [upc],
    );
    expect(await examineTags(db, site.orgId)).to.deep.equal([]);
    expect(await found(site, '(01)00012345678905')).to.include({ assetId: upc });
  });

  it('are right, whatever is attached and detached meanwhile', async () => {
    const site = await Site.create(database);
    const ids = new Map<string, number>();
    for (let index = 0; index < 20; index++) {
      const value = `P-${index}`;
      ids.set(value, await attachedBefore(site, value, ` ${value}`));
    }
    const client = await database.pool.connect();
    try {
      await client.query('begin');
      await client.query('update tags set detached_at = now() where asset_id = $1', [ids.get('P-9')]);
      const after = await beginRenewing(database.pool, site.orgId);
      expect(await renewNext(database.pool, site.orgId, after, 100)).to.deep.equal({
        last: after,
        isBusy: true,
      });
      expect(await found(site, 'P-8')).to.include({ assetId: ids.get('P-8') });
      await client.query('commit');
    } finally {
      client.release();
    }
    let count = 0;
    await renewAll(site.orgId, 3, async () => {
      const value = `LATE-${count++}`;
      ids.set(value, await attachedBefore(site, value, ` ${value}`));
      if (count > 5) {
        ids.set(`NEW-${count}`, await site.asset(`NEW-${count}`, ` NEW-${count}`, 'barcode'));
      }
      await database.rows('update tags set detached_at = now() where asset_id = $1', [ids.get('P-15')]);
    });
    for (const [value, id] of ids) {
      const isDetached = ['P-9', 'P-15'].includes(value);
      expect(await found(site, `]C0${value}`), value).to.include(
        isDetached ? { kind: 'unknown' } : { assetId: id },
      );
    }
  });

  it('are of unknown tags, too: two that are one are added up', async () => {
    const site = await Site.create(database);
    await database.rows(
      `insert into unknown_tags (org_id, tag_type, tag_key, value, ambiguous, count, first_seen, last_seen)
       select $1, 'barcode', value, value, false, count, now() - count * interval '1 minute', now() - count * interval '1 second'
       from (values ('012345678905', 3), ('0012345678905', 4), ('X-1', 1)) seen (value, count)`,
      [site.orgId],
    );
    await renewAll(site.orgId, 10);
    const rows = await database.rows<{ value: string; count: string }>(
      'select value, count from unknown_tags where org_id = $1 order by count desc',
      [site.orgId],
    );
    expect(rows.map(({ value, count }) => [value, Number(count)])).to.deep.equal([
      ['012345678905', 7],
      ['X-1', 1],
    ]);
  });

  it('are added for others though it fails for one organization, which is tried again soon', async () => {
    const [broken, other] = [await Site.create(database), await Site.create(database)];
    for (const site of [broken, other]) {
      await attachedBefore(site, 'EM-2', 'EM-2\t');
    }
    await database.rows(
      `create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$`,
    );
    await database.rows(
      `create trigger refuse before update on tags for each row when (old.org_id = ${broken.orgId}) execute function refuse()`,
    );
    const renew = async () => {
      const { turn } = renewTagKeys({ log: pino({ level: 'silent' }) }).begin(database.pool);
      for (let pause = await turn(); ; pause = await turn()) {
        if (pause !== null && pause > 0) {
          return pause;
        }
      }
    };
    const areFound = async () =>
      (await Promise.all([broken, other].map((site) => found(site, ']C0EM-2')))).map(
        (resolution) => resolution?.kind,
      );
    const untilRetry = await renew();
    expect(await areFound()).to.deep.equal(['unknown', 'asset']);
    await database.rows('drop function refuse cascade');
    expect(untilRetry).to.be.below(await renew());
    expect(await areFound()).to.deep.equal(['asset', 'asset']);
  });

  describe('with a worker', () => {
    let site: Site;
    let id: number;
    before(async () => {
      site = await Site.create(database);
      id = await attachedBefore(site, 'EM-1', 'EM-1\t');
    });
    useWorker(database);

    it('are added by itself', async () => {
      await until(async () => {
        const resolution = await found(site, ']C0EM-1');
        return resolution?.kind === 'asset' && resolution.assetId === id;
      });
    });
  });
});
