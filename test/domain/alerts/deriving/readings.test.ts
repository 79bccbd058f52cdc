import { expect } from 'chai';
import { MICROS_PER_SECOND, type Micros } from '../../../../base/instant.ts';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { AlertTurns } from '../../../../domain/alerts/deriving/take-turn.ts';
import { changeRule } from '../../../../domain/alerts/rules/change-rule.ts';
import { createRule, type NewRule } from '../../../../domain/alerts/rules/create-rule.ts';
import { runTrial } from '../../../../domain/alerts/trial/run-trial.ts';
import { trialOf } from '../../../../domain/alerts/trial/trial-of.ts';
import type { Readings } from '../../../../domain/tracking/reading-kind.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { recordAtFirst, recordIn, waits } from '../../../support/concurrently.ts';
import { useDatabase } from '../../../support/database.ts';
import { Random } from '../../../support/random.ts';
import { randomSets } from '../../../support/random-sets.ts';
import { aRead, record } from '../../../support/recording.ts';
import { Site } from '../../../support/site.ts';

const MINUTE: Micros = 60 * MICROS_PER_SECOND;
const END = 60;

interface Sent {
  tag: 0 | 1;
  minute: number;
  value: number;
}

describe('deriving alerts from what tags measure', () => {
  const database = useDatabase();
  const beginning = Date.now() * 1_000 - 10 * 60 * MINUTE;
  const at = (minute: number): Micros => beginning + minute * MINUTE;
  let site: Site;
  let hall: number;
  let readerId: number;
  let box: number;
  const tagIds: number[] = [];

  beforeEach(async () => {
    await database.rows(`update alert_derivation set derived_at = '-infinity'`);
    site = await Site.create(database);
    hall = await site.location('HALL');
    readerId = await site.reader(`reader-${site.orgId}`, [hall]);
    box = await site.asset('BOX');
    tagIds.splice(
      0,
      2,
      await site.tag({ assetId: box }, 'T0', 'ble'),
      await site.tag({ assetId: box }, 'T1', 'ble'),
    );
  });

  const rule = (wanted: Partial<NewRule> = {}) =>
    createRule(databaseOn(database.pool), TEST_ACTOR, Date.now() * 1_000, {
      ...{
        orgId: site.orgId,
        kind: 'reading',
        validFrom: at(-1),
        reading: 'temperature_c',
        above: 8,
        hysteresis: 1,
      },
      ...wanted,
    });
  const scanOf = (tag: 0 | 1, minute: number, readings: Readings, locationId: number | null = hall) => ({
    ...aRead({
      orgId: site.orgId,
      readerId,
      value: `T${tag}`,
      tagType: 'ble',
      locationId,
      at: at(minute),
      receivedAt: at(END * 5),
    }),
    readings,
  });
  const send = (sent: readonly Sent[]) =>
    record(
      database,
      sent.map(({ tag, minute, value }) => scanOf(tag, minute, { temperature_c: value })),
    );
  const derive = async (turns = new AlertTurns(database.pool)) => {
    while ((await turns.take()) === 'behind') {}
  };
  const alerts = async () =>
    (
      await database.rows<{ opened: Micros; closed: Micros | null; state: string }>(
        `select micros_of_time(opened_at) as opened, micros_of_time(closed_at) as closed, state from alerts
         where org_id = $1 and state <> 'withdrawn' order by opened_at`,
        [site.orgId],
      )
    ).map(({ opened, closed }) => [minuteOf(opened), closed === null ? null : minuteOf(closed)]);
  const minuteOf = (micros: Micros) => (micros - beginning) / MINUTE;
  const revisions = async () =>
    (await database.rows('select id from alert_revisions where org_id = $1', [site.orgId])).length;

  it('raises one after so long above the bound, until a value is back by the hysteresis', async () => {
    await rule({ after: 10 * MINUTE });
    const turns = new AlertTurns(database.pool);
    await send([0, 2, 4, 20].map((minute) => ({ tag: 0, minute, value: minute === 0 ? 8 : 8.5 })));
    await derive(turns);
    expect(await alerts()).to.deep.equal([[12, null]]);
    await send([{ tag: 0, minute: 30, value: 7.5 }]);
    await derive(turns);
    expect(await alerts()).to.deep.equal([[12, null]]);
    await send([{ tag: 0, minute: 40, value: 7 }]);
    await derive(turns);
    expect(await alerts()).to.deep.equal([[12, 40]]);
    expect(
      await database.rows(
        'select kind, asset_id, location_id, because::jsonb - $2 as because from alerts where org_id = $1',
        [...[site.orgId, 'from']],
      ),
    ).to.deep.equal([
      {
        ...{ kind: 'reading', asset_id: box, location_id: hall },
        because: {
          ...{ reading: 'temperature_c', above: 8, below: null, value: 8.5 },
          ...{ tag_id: tagIds[0], location_id: hall },
        },
      },
    ]);
  });

  it('raises one while a battery is low, percent and volts each by their own', async () => {
    await rule({ kind: 'battery_low', reading: 'battery_percent', above: null, below: 20, hysteresis: null });
    await rule({ kind: 'battery_low', reading: 'battery_volts', above: null, below: 2.5, hysteresis: null });
    const percent = [30, 19, 21, 24.9, 19, 25, 12];
    await record(
      database,
      percent.map((value, minute) =>
        scanOf(0, minute, { battery_percent: value, battery_volts: 3 - minute / 10 }),
      ),
    );
    await derive();
    expect(await alerts()).to.deep.equal([
      [1, 5],
      [6, null],
      [6, null],
    ]);
  });

  it('raises the same, of random values of two tags, in order and shuffled, twice and in pieces', async () => {
    for (let index = 0; index < randomSets(6); index += 1) {
      const random = new Random(371, index);
      const after = random.below(4) * 3;
      const sent = Array.from(
        { length: 4 + random.below(25) },
        (): Sent => ({
          ...{ tag: random.pick([0, 1] as const), minute: random.below(END) },
          value: random.pick([5, 6.5, 7, 7.5, 8, 8.5, 9]),
        }),
      );
      const expected = byDefinition(sent, after);
      const inOrder = sent.toSorted((a, b) => a.minute - b.minute);
      const anyHow = [...sent, ...sent].toSorted(() => random.below(3) - 1);
      for (const course of [inOrder, anyHow]) {
        site = await Site.create(database);
        hall = await site.location('HALL');
        readerId = await site.reader(`reader-${site.orgId}`, [hall]);
        box = await site.asset('BOX');
        await site.tag({ assetId: box }, 'T0', 'ble');
        await site.tag({ assetId: box }, 'T1', 'ble');
        await rule({ after: after * MINUTE });
        const turns = new AlertTurns(database.pool);
        for (let from = 0; from < course.length; ) {
          const size = 1 + random.below(8);
          await send(course.slice(from, from + size));
          from += size;
          await derive(turns);
        }
        expect(await alerts(), `case ${index}`).to.deep.equal(expected);
        await derive();
        expect(await alerts(), `case ${index} by another process`).to.deep.equal(expected);
      }
    }
  });

  it('has nothing derived for values on the side of the one before', async () => {
    await rule();
    await send([{ tag: 0, minute: 0, value: 5 }]);
    await derive();
    await send([1, 2, 3].map((minute) => ({ tag: 0, minute, value: 5 + minute / 2 })));
    await send([{ tag: 0, minute: 2, value: 6 }]);
    expect(await revisions()).to.equal(0);
    await send([{ tag: 0, minute: 2, value: 6.5 }]);
    expect(await revisions()).to.equal(1);
  });

  it('has nothing derived for a bound that was replaced more than a month ago', async () => {
    const { id } = await rule();
    const ref = { orgId: site.orgId, id };
    await changeRule(databaseOn(database.pool), TEST_ACTOR, Date.now() * 1_000, ref, {
      ...{ above: 20, validFrom: at(0) },
    });
    await send([{ tag: 0, minute: 0, value: 5 }]);
    await derive();
    await send([{ tag: 0, minute: 1, value: 9 }]);
    expect(await revisions()).to.equal(1);
    await derive();
    await database.rows(`update rules set valid_from = valid_from - interval '32 days' where id = $1`, [id]);
    await send([2, 9].map((value, after) => ({ tag: 0, minute: 2 + after, value })));
    expect(await revisions()).to.equal(0);
    await database.rows('update rules set is_ended = true where id = $1', [id]);
    await send([{ tag: 0, minute: 4, value: 30 }]);
    expect(await revisions()).to.equal(0);
  });

  it('has an asset derived once for all of its tags that are taken off, where rules ask for readings', async () => {
    const takeOff = () =>
      database.rows(
        `update tags set detached_at = coalesce(detached_at, time_of_micros($2)), value = value || '-'
         where asset_id = $1`,
        [box, at(50)],
      );
    await rule({ kind: 'overdue', reading: null, above: null, hysteresis: null, after: MINUTE });
    await derive();
    await takeOff();
    expect(await revisions()).to.equal(0);
    await rule();
    await derive();
    await takeOff();
    expect(await revisions()).to.equal(0);
    await database.rows('update tags set detached_at = null where asset_id = $1', [box]);
    await takeOff();
    expect(await revisions()).to.equal(1);
  });

  it('has a value derived that another recorder passes, one placed and the other not', async () => {
    await rule();
    await send([{ tag: 0, minute: 0, value: 5 }]);
    await derive();
    const first = await database.pool.connect();
    try {
      await first.query('begin');
      await recordIn(first, [scanOf(0, 1, { temperature_c: 9 }, null)]);
      const second = recordAtFirst(database, [scanOf(0, 2, { temperature_c: 5 })]);
      expect(await waits(database, second)).to.equal(true);
      await first.query('commit');
      await second;
    } finally {
      first.release();
    }
    expect(await revisions()).to.equal(2);
  });

  it('has nobody wait in a circle for the values of placed and unplaced scans', async () => {
    await rule();
    const other = await site.asset('OTHER');
    const value = 'T2';
    await site.tag({ assetId: other }, value, 'ble');
    await send([{ tag: 0, minute: 0, value: 5 }]);
    await record(database, [{ ...scanOf(0, 0, { temperature_c: 5 }), value }]);
    for (let minute = 1; minute <= 20; minute += 1) {
      const batchOf = (second: number, first: number | null, last: number | null) => [
        scanOf(0, minute + second / 60, { temperature_c: minute }, first),
        { ...scanOf(0, minute + second / 60, { temperature_c: minute }, last), value },
      ];
      const batches = [batchOf(0, hall, null), batchOf(1, null, hall)];
      await Promise.all(batches.map((scans) => recordAtFirst(database, scans)));
    }
  });

  it('ends one when the tag is taken off, and goes on while the tag is silent', async () => {
    await rule();
    await send([
      { tag: 0, minute: 5, value: 9 },
      { tag: 1, minute: 6, value: 2 },
    ]);
    await derive();
    expect(await alerts()).to.deep.equal([[5, null]]);
    await database.rows('update tags set detached_at = time_of_micros($2) where id = $1', [
      tagIds[0],
      at(50),
    ]);
    await derive();
    expect(await alerts()).to.deep.equal([[5, 50]]);
  });

  it('is about assets where the rule says, and follows changes of the rule', async () => {
    const yard = await site.location('YARD');
    const { id } = await rule({ withinLocationExternalKey: 'HALL' });
    await record(database, [scanOf(0, 5, { temperature_c: 9 }), scanOf(0, 20, {}, yard), scanOf(0, 30, {})]);
    await derive();
    expect(await alerts()).to.deep.equal([
      [5, 20],
      [30, null],
    ]);
    const ref = { orgId: site.orgId, id };
    await changeRule(databaseOn(database.pool), TEST_ACTOR, Date.now() * 1_000, ref, {
      above: 10,
      validFrom: at(40),
    });
    await derive();
    expect(await alerts()).to.deep.equal([
      [5, 20],
      [30, 40],
    ]);
  });

  it('leaves alerts as they are when the readings are gone', async () => {
    await rule();
    await send([
      { tag: 0, minute: 5, value: 9 },
      { tag: 0, minute: 9, value: 6 },
      { tag: 0, minute: 20, value: 9 },
      { tag: 0, minute: 25, value: 7.5 },
    ]);
    await derive();
    const before = await alerts();
    expect(before).to.deep.equal([
      [5, 9],
      [20, null],
    ]);
    for (const kept of [25, END]) {
      await database.rows('delete from tag_readings where org_id = $1 and observed_at < time_of_micros($2)', [
        ...[site.orgId, at(kept)],
      ]);
      await database.rows(
        `insert into alert_revisions (org_id, subject, since) values ($1, 'organization', time_of_micros($2))`,
        [site.orgId, at(0)],
      );
      await derive();
      expect(await alerts()).to.deep.equal(before);
    }
    await send([{ tag: 0, minute: 30, value: 5 }]);
    await derive();
    expect(await alerts()).to.deep.equal([
      [5, 9],
      [20, 30],
    ]);
  });

  it('is about assets that were never at a location, too, whoever derives', async () => {
    await record(database, [scanOf(0, 5, { temperature_c: 9 }, null)]);
    await rule();
    await derive();
    expect(await alerts()).to.deep.equal([[5, null]]);
    expect(
      await database.rows(
        'select location_id, because::jsonb ? $2 as is_somewhere from alerts where org_id = $1',
        [...[site.orgId, 'location_id']],
      ),
    ).to.deep.equal([{ location_id: null, is_somewhere: false }]);
    await database.rows('delete from alerts where org_id = $1', [site.orgId]);
    await database.rows('update alert_derivation set derived_to = time_of_micros($1)', [at(0)]);
    await derive();
    expect(await alerts()).to.deep.equal([[5, null]]);
  });

  it('is tried on what was recorded', async () => {
    await send([0, 10, 20].map((minute) => ({ tag: 0, minute, value: minute === 10 ? 9 : 5 })));
    const trial = await trialOf(database.pool, Date.now() * 1_000, {
      ...{ orgId: site.orgId, of: { kind: 'reading' }, since: at(-5), reading: 'temperature_c', above: 8 },
    });
    const options = { bounds: { alerts: 10, subjects: 10 }, batch: 100, goesOn: () => true };
    const { alert_count: count, longest } = await runTrial(database.pool, trial, options);
    expect(count).to.equal(1);
    expect(longest).to.include({ asset_external_key: 'BOX', seconds: 600 });
  });
});

/** Written from what rules promise: the asset is above while any tag is, and a tag until a value is back. */
function byDefinition(sent: readonly Sent[], after: number): [number, number | null][] {
  const found: [number, number | null][] = [];
  let since: number | null = null;
  const isAbove = [false, false];
  for (let minute = 0; minute < END; minute += 1) {
    for (const tag of [0, 1] as const) {
      const values = sent
        .filter((each) => each.tag === tag && each.minute === minute)
        .map(({ value }) => value);
      const value = Math.max(...values);
      isAbove[tag] =
        values.length > 0 && value > 8
          ? true
          : values.length > 0 && value <= 7
            ? false
            : (isAbove[tag] ?? false);
    }
    if (isAbove.includes(true)) {
      since ??= minute;
    } else {
      if (since !== null && since + after < minute) {
        found.push([since + after, minute]);
      }
      since = null;
    }
  }
  return since === null ? found : [...found, [since + after, null]];
}
