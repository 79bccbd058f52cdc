import { expect } from 'chai';
import { MICROS_PER_SECOND } from '../../../base/instant.ts';
import { absencesOf, type ConnectionChange } from '../../../domain/presence/absences.ts';
import { storeConnections } from '../../../domain/presence/store-connections.ts';
import { useDatabase } from '../../support/database.ts';
import { Random } from '../../support/random.ts';
import { Site } from '../../support/site.ts';

describe('connections of readers', () => {
  const database = useDatabase();
  const BEGINNING = Date.UTC(2026, 4, 1, 10) * 1_000;
  let orgId: number;
  let readers: number[];
  before(async () => {
    const site = await Site.create(database);
    const dock = await site.location('DOCK');
    orgId = site.orgId;
    readers = [await site.reader('portal', [dock]), await site.reader('gate', [dock])];
  });

  const change = (second: number, isConnected: boolean): ConnectionChange => ({
    at: BEGINNING + second * MICROS_PER_SECOND,
    isConnected,
  });
  const absences = (changes: readonly ConnectionChange[]) =>
    absencesOf(changes).map(({ since, until }) => ({ since, until }));
  const away = (readerId: number) =>
    database.rows(
      `select micros_of_time(started_at) as since, micros_of_time(ended_at) as until from reader_spans
       where reader_id = $1 order by started_at`,
      [readerId],
    );

  it('end absences, however short they are', () => {
    const changes = [0, 100, 160, 170, 180, 300].map((second, at) => change(second, at % 2 === 0));
    expect(absences(changes)).to.deep.equal([
      { since: change(100, false).at, until: change(160, true).at },
      { since: change(170, false).at, until: change(180, true).at },
      { since: change(300, false).at, until: null },
    ]);
  });

  it('of a reader that comes and goes all the time leave the last of its absences', () => {
    const changes = Array.from({ length: 1_000 }, (_, second) => change(second, second % 2 === 0));
    expect(absences(changes)).to.deep.equal([{ since: change(999, false).at, until: null }]);
  });

  it('are the same in whatever batches they are stored, also twice', async () => {
    const random = new Random(11, 0);
    for (let round = 0; round < 40; round++) {
      await database.empty('reader_spans, reader_connections');
      const ofReaders = readers.map((readerId) => {
        let second = 0;
        const changes = Array.from({ length: 1 + random.below(12) }, (_, at) => {
          second += 1 + random.below(random.once(2) ? 40 : 20);
          return change(second, at % 2 === 0);
        });
        return { orgId, readerId, changes };
      });
      const left = ofReaders.map(({ changes }) => [...changes]);
      while (left.some(({ length }) => length > 0)) {
        const batch = ofReaders
          .map((reader, at) => ({ ...reader, changes: left[at]?.splice(0, 1 + random.below(4)) ?? [] }))
          .filter(({ changes }) => changes.length > 0);
        await storeConnections(database.pool, batch);
        if (random.once(3)) {
          await storeConnections(database.pool, batch);
        }
      }
      for (const { readerId, changes } of ofReaders) {
        expect(await away(readerId), `round ${round}`).to.deep.equal(absences(changes));
        expect(
          await database.rows('select from reader_connections where reader_id = $1', [readerId]),
        ).to.have.lengthOf(changes.at(-1)?.isConnected ? 1 : 0);
      }
    }
  });
});
