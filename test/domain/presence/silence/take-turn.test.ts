import { expect } from 'chai';
import { MICROS_PER_SECOND, type Micros } from '../../../../base/instant.ts';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { inTransaction } from '../../../../db/timescale/connections/transaction.ts';
import { loadBuiltinFormats } from '../../../../domain/formats/mapping/builtin.ts';
import { examineSilences } from '../../../../domain/health/readers.ts';
import { stretchesOf } from '../../../../domain/messages/heard-stretches.ts';
import { loadReaders, type RegisteredReader } from '../../../../domain/messages/load-readers.ts';
import { type DatedExpectation, inForce } from '../../../../domain/presence/expectations.ts';
import { type Interval, joined } from '../../../../domain/presence/intervals.ts';
import { SilenceDeriver } from '../../../../domain/presence/silence/deriver.ts';
import { silencesOf } from '../../../../domain/presence/silence/silences.ts';
import { SilenceTurns } from '../../../../domain/presence/silence/take-turn.ts';
import { useDatabase } from '../../../support/database.ts';
import { messageOf, recordAll } from '../../../support/messages-of.ts';
import { Random } from '../../../support/random.ts';
import { itByNight } from '../../../support/random-sets.ts';
import { Site } from '../../../support/site.ts';

const BEGINNING: Micros = Date.UTC(2026, 4, 1, 10) * 1_000;
const END = 600;

const at = (second: number): Micros => BEGINNING + second * MICROS_PER_SECOND;

describe('deriving silences', () => {
  const database = useDatabase();
  let readers: RegisteredReader[];

  before(async () => {
    const site = await Site.create(database);
    for (const name of ['a', 'b', 'c']) {
      await site.reader(name, []);
    }
    readers = [...(await loadReaders(database.pool, loadBuiltinFormats()))];
  });
  beforeEach(clear);

  async function clear(): Promise<void> {
    await database.rows(
      `truncate reader_counters, reader_spans, reader_expectations, silence_revisions, intake_watches,
         received_messages`,
    );
    await database.rows(
      `insert into silence_derivation (derived_to, derived_at) values (time_of_micros($1), '-infinity')
       on conflict (is_only) do update set derived_to = excluded.derived_to, derived_by = null,
         derived_at = excluded.derived_at`,
      [BEGINNING],
    );
  }
  /** As if a process had gone on to hear. */
  const watch = (id: number, since: Micros, until: Micros) =>
    database.rows(
      `insert into intake_watches values (('00000000-0000-0000-0000-' || lpad($1::text, 12, '0'))::uuid,
         time_of_micros($2), time_of_micros($3))
       on conflict (id) do update set ended_at = excluded.ended_at`,
      [id, since, until],
    );
  const expectOf = ({ orgId, readerId }: RegisteredReader, from: Micros, seconds: number | null) =>
    database.rows(
      `insert into reader_expectations (org_id, reader_id, origin, valid_from, seconds)
       values ($1, $2, 'set', time_of_micros($3), $4)`,
      [orgId, readerId, from, seconds],
    );
  const stored = ({ readerId }: RegisteredReader) =>
    database.rows(
      `select micros_of_time(started_at) as since, micros_of_time(ended_at) as until
       from reader_spans where reader_id = $1 and state = 'silent' order by started_at`,
      [readerId],
    );
  /** Which leave nothing to the next, however slow the machine is. */
  const wholeTurns = () => new SilenceTurns(database.pool, undefined, Number.POSITIVE_INFINITY);
  /** Nobody waits for one that is gone. */
  const forgetDeriver = () => database.rows(`update silence_derivation set derived_at = '-infinity'`);

  itByNight(
    'stores what the evidence says, whatever the order of commits, the pauses and the process that derives',
    async () => {
      let silences = 0;
      for (let round = 0; round < 8; round++) {
        await clear();
        const random = new Random(41, round);
        const ofReaders = readers.map((reader) => ({
          reader,
          messages: messageTimes(random),
          expectations: [] as DatedExpectation[],
        }));
        const watched: Interval[] = [];
        let turns = wholeTurns();
        let late: { reader: RegisteredReader; second: number }[] = [];
        let watching = { id: 0, since: BEGINNING };
        for (let second = 0; second < END; second += 5) {
          for (const { reader, messages, expectations } of ofReaders) {
            const now = messages.filter((each) => each >= second && each < second + 5);
            const delayed = now.filter(() => random.once(4));
            late.push(...delayed.map((each) => ({ reader, second: each })));
            const prompt = now.filter((each) => !delayed.includes(each));
            if (prompt.length > 0) {
              await recordAll(
                database.pool,
                prompt.map((each) => messageOf(reader, at(each))),
              );
            }
            if (second === 0 || random.once(30)) {
              const expected = random.once(4) ? null : 15 + random.below(60);
              expectations.push({
                from: at(second + 1),
                expected: expected === null ? null : expected * MICROS_PER_SECOND,
              });
              await expectOf(reader, at(second + 1), expected);
            }
          }
          const isPaused = random.once(12);
          if (isPaused) {
            watching = { id: watching.id + 1, since: at(second + 5) };
          } else {
            await watch(watching.id, watching.since, at(second + 5));
            watched.push({ since: watching.since, until: at(second + 5) });
          }
          const due = late.filter(() => random.once(6));
          late = late.filter((each) => !due.includes(each));
          for (const each of due) {
            await recordAll(database.pool, [messageOf(each.reader, at(each.second))]);
          }
          if (random.once(8)) {
            turns = wholeTurns();
            await forgetDeriver();
          }
          if (!random.once(3)) {
            await turns.take();
          }
        }
        for (const each of late) {
          await recordAll(database.pool, [messageOf(each.reader, at(each.second))]);
        }
        await turns.take();
        for (const { reader, messages, expectations } of ofReaders) {
          const derived = silencesOf({
            heard: stretchesOf(messages.map(at)),
            expectations: inForce(expectations.map((each) => ({ ...each, origin: 'set' }))),
            watched: joined(watched),
            deletedAt: null,
          });
          expect(await stored(reader), `round ${round}, reader ${reader.readerId}`).to.deep.equal(derived);
          silences += derived.length;
        }
      }
      expect(silences).to.be.above(40);
    },
  );

  it('ends with the deletion of a reader', async () => {
    const [reader] = readers as [RegisteredReader];
    await expectOf(reader, BEGINNING, 15);
    await recordAll(database.pool, [messageOf(reader, at(10))]);
    await watch(1, BEGINNING, at(100));
    const turns = wholeTurns();
    await turns.take();
    expect(await stored(reader)).to.deep.equal([{ since: at(25), until: null }]);
    await database.rows('update readers set deleted_at = time_of_micros($2) where id = $1', [
      reader.readerId,
      at(90),
    ]);
    await turns.take();
    expect(await stored(reader)).to.deep.equal([{ since: at(25), until: at(90) }]);
    await database.rows('update readers set deleted_at = null where id = $1', [reader.readerId]);
  });

  it('leaves the beginning of a silence as it is when what was watched then is not kept any more', async () => {
    const [reader] = readers as [RegisteredReader];
    const days = (count: number) => count * 86_400;
    await expectOf(reader, BEGINNING, 15);
    await recordAll(database.pool, [messageOf(reader, at(10))]);
    await watch(1, BEGINNING, at(20));
    await watch(2, at(100), at(days(20)));
    await wholeTurns().take();
    expect(await stored(reader)).to.deep.equal([{ since: at(105), until: null }]);
    expect(
      await database.rows('select micros_of_time(started_at) as since from intake_watches'),
    ).to.deep.equal([{ since: at(100) }]);
    await forgetDeriver();
    const turns = wholeTurns();
    await turns.take();
    expect(await stored(reader)).to.deep.equal([{ since: at(105), until: null }]);
    await recordAll(database.pool, [messageOf(reader, at(days(20) + 5))]);
    await watch(2, at(100), at(days(20) + 10));
    await turns.take();
    expect(await stored(reader)).to.deep.equal([{ since: at(105), until: at(days(20) + 5) }]);
  });

  it('waits no longer than was set a moment ago, though it is not watched up to then yet', async () => {
    const [reader] = readers as [RegisteredReader];
    await expectOf(reader, BEGINNING, 3_600);
    await recordAll(database.pool, [messageOf(reader, at(10))]);
    await watch(1, BEGINNING, at(20));
    await expectOf(reader, at(25), 20);
    const turns = wholeTurns();
    await turns.take();
    expect(await stored(reader)).to.deep.equal([]);
    await watch(1, BEGINNING, at(40));
    await turns.take();
    expect(await stored(reader)).to.deep.equal([{ since: at(30), until: null }]);
  });

  it('learns of everybody by turns, so that many new readers do not hold up others', async () => {
    const [{ orgId, readerId }] = readers as [RegisteredReader];
    const crowd = await database.rows<{ id: number }>(
      `insert into readers (org_id, name, topic, format, mqtt_username, mqtt_password_sha256)
       select org_id, 'crowd-' || number, 'crowd/' || number, format, 'crowd-' || number, mqtt_password_sha256
       from readers, generate_series(1, 60) number where org_id = $1 and id = $2 returning id`,
      [orgId, readerId],
    );
    const last = Math.max(...crowd.map(({ id }) => id));
    await database.rows(
      `insert into reader_counters (org_id, reader_id, last_message_at, heard_since, heard_until, heard_messages)
       select org_id, id, time_of_micros($3), time_of_micros($2),
         case id when $4 then time_of_micros($3) else time_of_micros($2) end, 1000
       from readers where org_id = $1 and topic like 'crowd/%'`,
      [orgId, at(0), at(7_200), last],
    );
    const turns = wholeTurns();
    for (let turn = 0; turn < 5; turn++) {
      await watch(1, BEGINNING, at(7_200 + turn * 600));
      await turns.take();
    }
    expect(await database.rows('select reader_id, seconds from reader_expectations')).to.deep.equal([
      { reader_id: last, seconds: 30 },
    ]);
  });

  it('learns what to expect, and calls no reader silent by that which was heard for less than an hour', async () => {
    const [known, fresh] = readers as [RegisteredReader, RegisteredReader];
    for (const [reader, count] of [
      [known, 65],
      [fresh, 30],
    ] as const) {
      const messages = Array.from({ length: count }, (_, minute) => messageOf(reader, at(minute * 60)));
      await recordAll(database.pool, messages);
    }
    await watch(1, BEGINNING, at(65 * 60));
    const turns = wholeTurns();
    await turns.take();
    const learned = () =>
      database.rows('select reader_id, origin, seconds from reader_expectations order by reader_id');
    expect(await learned()).to.deep.equal([{ reader_id: known.readerId, origin: 'learned', seconds: 120 }]);
    await turns.take();
    expect(await learned()).to.have.lengthOf(1);
  });

  describe('of several organizations', () => {
    let sites: { much: Site; little: Site };
    before(async () => {
      sites = {
        much: await Site.create(database, 'much'),
        little: await Site.create(database, 'little'),
      };
    });

    /** Readers that were heard once and are expected every 15 s. */
    const heard = async ({ orgId }: Site, name: string, count: number) => {
      const rows = await database.rows<{ id: number }>(
        `insert into readers (org_id, name, topic, format, mqtt_username, mqtt_password_sha256)
         select $1, topic, topic, 'tagtrail', topic, sha256(topic::bytea)
         from (select $2 || '/' || number as topic from generate_series(1, $3::integer) number) given
         returning id`,
        [orgId, name, count],
      );
      await database.rows(
        `insert into reader_counters (org_id, reader_id, last_message_at, heard_since, heard_until, heard_messages)
         select org_id, id, time_of_micros($3), time_of_micros($3), time_of_micros($3), 1
         from readers where org_id = $1 and topic like $2 || '/%'`,
        [orgId, name, at(10)],
      );
      const ids = rows.map(({ id }) => id);
      await database.rows(
        `insert into reader_expectations (org_id, reader_id, origin, valid_from, seconds)
         select $1, id, 'set', time_of_micros($3), 15 from unnest($2::integer[]) as given (id)`,
        [orgId, ids, BEGINNING],
      );
      return ids;
    };
    const silent = async ({ orgId }: Site) =>
      (
        await database.rows<{ id: number }>(
          `select reader_id as id from reader_spans where org_id = $1 and state = 'silent' and started_at = time_of_micros($2)`,
          [orgId, at(25)],
        )
      ).map(({ id }) => id);
    const turnOf = (deriver: SilenceDeriver) =>
      inTransaction(database.pool, (transaction) => deriver.turn(transaction, BEGINNING));

    it('does not let an organization with many changed readers delay another', async () => {
      const many = await heard(sites.much, 'many', 300);
      const few = await heard(sites.little, 'few', 1);
      await watch(1, BEGINNING, at(10 * 86_400));
      await database.rows(
        `insert into silence_revisions select org_id, id, time_of_micros($2) from readers
         where org_id = $1 and topic like 'many/%'
         on conflict (org_id, reader_id) do update set since = excluded.since`,
        [sites.much.orgId, BEGINNING],
      );
      const deriver = new SilenceDeriver(0);
      const turns = [await turnOf(deriver), await turnOf(deriver)];
      expect(turns.map(({ isBehind }) => isBehind)).to.deep.equal([true, true]);
      expect(await silent(sites.little)).to.deep.equal(few);
      expect((await silent(sites.much)).length).to.be.within(1, 100);
      while ((await turnOf(deriver)).isBehind) {}
      expect((await silent(sites.much)).sort()).to.deep.equal(many.sort());
    });

    it('sets aside an organization whose statement takes too long, and makes up for it later', async () => {
      const many = await heard(sites.much, 'locked', 3);
      const few = await heard(sites.little, 'free', 1);
      await watch(1, BEGINNING, at(20));
      const deriver = new SilenceDeriver(Number.POSITIVE_INFINITY, 1_500);
      await turnOf(deriver);
      await watch(1, BEGINNING, at(100));
      const { setAside } = await inTransaction(database.pool, async (transaction) => {
        await transaction.query(
          `insert into reader_spans (org_id, reader_id, state, started_at)
           values ($1, $2, 'silent', time_of_micros($3))`,
          [sites.much.orgId, many[0], at(25)],
        );
        const turn = await turnOf(deriver);
        await transaction.query('delete from reader_spans where org_id = $1', [sites.much.orgId]);
        return turn;
      });
      expect(setAside.map(({ orgId }) => orgId)).to.deep.equal([sites.much.orgId]);
      expect(await silent(sites.little)).to.deep.equal(few);
      expect(await silent(sites.much)).to.deep.equal([]);
      expect((await turnOf(deriver)).setAside).to.deep.equal([]);
      expect(await silent(sites.much)).to.deep.equal([]);
      const told = async () =>
        (await examineSilences(databaseOn(database.pool))).map(({ message }) => message);
      expect(await told()).to.have.lengthOf(1);
      expect((await told())[0])
        .to.include(`Organization ${sites.much.orgId} `)
        .and.include('silences of its readers could not be derived (')
        .and.include('statement timeout');
      expect(await examineSilences(databaseOn(database.pool), sites.little.orgId)).to.deep.equal([]);
      await turnOf(new SilenceDeriver(Number.POSITIVE_INFINITY));
      expect(await told()).to.deep.equal([]);
      expect((await silent(sites.much)).sort()).to.deep.equal(many.sort());
    });

    it('learns by turns', async () => {
      await heard(sites.much, 'new', 60);
      const [known] = await heard(sites.little, 'known', 1);
      await database.rows('delete from reader_expectations');
      await database.rows(
        `update reader_counters set last_message_at = time_of_micros($1), heard_until = time_of_micros($1),
           heard_messages = 1000`,
        [at(7_200)],
      );
      await watch(1, BEGINNING, at(7_200));
      await turnOf(new SilenceDeriver(Number.POSITIVE_INFINITY));
      const learned = await database.rows<{ reader_id: number }>('select reader_id from reader_expectations');
      expect(learned.map(({ reader_id: id }) => id)).to.include(known);
    });
  });
});

/** Seconds: some close together, and gaps of all lengths. */
function messageTimes(random: Random): number[] {
  const times: number[] = [];
  for (
    let second = 1 + random.below(20);
    second < END;
    second += random.once(3) ? random.below(150) + 1 : 7
  ) {
    times.push(second);
  }
  return times;
}
