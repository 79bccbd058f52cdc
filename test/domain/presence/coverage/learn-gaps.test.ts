import { expect } from 'chai';
import { MICROS_PER_SECOND, type Micros } from '../../../../base/instant.ts';
import { loadBuiltinFormats } from '../../../../domain/formats/mapping/builtin.ts';
import { loadReaders, type RegisteredReader } from '../../../../domain/messages/load-readers.ts';
import { GapLearner } from '../../../../domain/presence/coverage/learn-gaps.ts';
import { useDatabase } from '../../../support/database.ts';
import { messageOf, recordAll } from '../../../support/messages-of.ts';
import { Site } from '../../../support/site.ts';

const HOUR: Micros = 3_600 * MICROS_PER_SECOND;

describe('gaps that are learned again and again', () => {
  const database = useDatabase();
  const NOW = Date.now() * 1_000;
  let orgId: number;
  let locationId: number;
  let reader: RegisteredReader;
  let learner: GapLearner;
  before(async () => {
    const site = await Site.create(database);
    orgId = site.orgId;
    locationId = await site.location('ROOM');
    await site.reader('room', [locationId]);
    await site.asset('PALLET', 'E280');
    await database.rows(`update antenna_versions set since = now() - interval '1 day'`);
    [reader] = [...(await loadReaders(database.pool, loadBuiltinFormats()))] as [RegisteredReader];
    learner = new GapLearner();
    await watch(2, 'continuous', null, true);
  });

  const watch = (hoursAgo: number, mode: string, seconds: number | null, isLearned: boolean) =>
    database.rows(
      `insert into location_watches (org_id, location_id, valid_from, mode, max_gap_seconds, is_learned, coverage)
       values ($1, $2, now() - make_interval(secs => $3 * 3600), $4, $5, $6, 'any')`,
      [orgId, locationId, hoursAgo, mode, seconds, isLearned],
    );
  /** Every so many seconds, the last so many seconds ago. */
  const read = (count: number, every: number, endedAgo: number) =>
    recordAll(
      database.pool,
      Array.from({ length: count }, (_, which) => {
        const at = NOW - (endedAgo + (count - 1 - which) * every) * MICROS_PER_SECOND;
        return messageOf(reader, at, [at]);
      }),
    );
  const watches = () =>
    database.rows(
      'select mode, max_gap_seconds, is_learned, coverage from location_watches order by valid_from',
    );
  const LEARNED = { mode: 'continuous', is_learned: true, coverage: 'any' };

  it('are known once enough was read while the location was covered, outages left out', async () => {
    await learner.turn(database.pool, NOW);
    expect(await watches()).to.deep.equal([{ ...LEARNED, max_gap_seconds: null }]);
    await read(70, 12, 3_600);
    await read(70, 12, 1_200);
    await learner.turn(database.pool, NOW + 1);
    expect(await watches()).to.have.length(1);
    await learner.turn(database.pool, NOW + HOUR / 12);
    expect(await watches()).to.deep.equal([
      { ...LEARNED, max_gap_seconds: null },
      { ...LEARNED, max_gap_seconds: 24 },
    ]);
  });

  it('are learned anew every six hours, and kept where they differ by less than a tenth', async () => {
    await read(20, 12, 600);
    await learner.turn(database.pool, NOW + 7 * HOUR);
    expect(await watches()).to.have.length(2);
    await read(10, 20, 60);
    await learner.turn(database.pool, NOW + 8 * HOUR);
    expect(await watches()).to.have.length(2);
    await learner.turn(database.pool, NOW + 14 * HOUR);
    expect((await watches()).slice(2)).to.deep.equal([{ ...LEARNED, max_gap_seconds: 40 }]);
  });

  it('are learned no more after 500 rows of a location', async () => {
    await database.rows(
      `insert into location_watches (org_id, location_id, valid_from, mode, max_gap_seconds, is_learned, coverage)
       select $1, $2, now() - interval '30 days' + make_interval(secs => at), 'portal', null, false, 'any'
       from generate_series(1, 497) at`,
      [orgId, locationId],
    );
    const learnedAfter = async (hours: number, every: number) => {
      await read(40, every, 30);
      await learner.turn(database.pool, NOW + hours * HOUR);
      return (await watches()).length;
    };
    expect(await learnedAfter(16, 1)).to.equal(500);
    expect(await learnedAfter(22, 90)).to.equal(500);
    await database.rows(`delete from location_watches where mode = 'portal'`);
  });

  it('are not learned where somebody said how long they are, or that things only pass', async () => {
    await watch(0, 'continuous', 300, false);
    await learner.turn(database.pool, NOW + 24 * HOUR);
    await watch(0, 'portal', null, false);
    await learner.turn(database.pool, NOW + 36 * HOUR);
    expect(await watches()).to.have.length(5);
  });

  it('take turns by organization', async () => {
    const other = await Site.create(database);
    const otherId = await other.location('ROOM');
    await other.reader('other', [otherId]);
    await other.asset('PALLET', 'E281');
    await database.rows(`update antenna_versions set since = now() - interval '1 day'`);
    const many = await database.rows<{ id: number }>(
      `insert into locations (org_id, external_key, name)
       select $1, 'MANY-' || number, 'Many' from generate_series(1, 20) number returning id`,
      [orgId],
    );
    await database.rows(
      `insert into location_watches (org_id, location_id, valid_from, mode, max_gap_seconds, is_learned, coverage)
       select org_id, id, now() - interval '2 hours', 'continuous', null, true, 'any' from locations where id = any ($1)`,
      [[...many.map(({ id }) => id), otherId]],
    );
    const readers = [...(await loadReaders(database.pool, loadBuiltinFormats()))];
    const ofOther = readers.find((each) => each.orgId === other.orgId) as RegisteredReader;
    for (const endedAgo of [3_600, 1_200]) {
      const times = Array.from(
        { length: 70 },
        (_, which) => NOW - (endedAgo + (69 - which) * 12) * MICROS_PER_SECOND,
      );
      await recordAll(
        database.pool,
        times.map((at) => messageOf(ofOther, at, [at], ['E281'])),
      );
    }
    for (let turn = 0; turn < 2; turn++) {
      await learner.turn(database.pool, NOW + 48 * HOUR + turn);
    }
    expect(
      await database.rows('select from location_watches where location_id = $1', [otherId]),
    ).to.have.lengthOf(2);
  });

  it('go on where one cannot be learned, which is tried again', async () => {
    const [other] = await database.rows<{ id: number }>(
      `delete from location_watches where max_gap_seconds is not null and org_id <> $1 returning location_id as id`,
      [orgId],
    );
    const learned = () =>
      database.rows('select from location_watches where location_id = $1 and max_gap_seconds > 0', [
        other?.id,
      ]);
    await database.rows(
      `create function refuse() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
       create trigger refuse before insert on location_watches for each row execute function refuse()`,
    );
    const failed: number[] = [];
    const another = new GapLearner((fault) => failed.push(fault.locationId));
    const turns = async (at: Micros) => {
      while (await another.turn(database.pool, at)) {
        // All that are due.
      }
    };
    await turns(NOW);
    expect([failed, await learned()]).to.deep.equal([[other?.id], []]);
    await database.rows('drop function refuse cascade');
    await turns(NOW + HOUR);
    expect([failed, await learned()]).to.deep.equal([[other?.id], [{}]]);
  });
});
