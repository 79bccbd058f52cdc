import { expect } from 'chai';
import { MICROS_PER_SECOND, type Micros } from '../../../../base/instant.ts';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { AlertTurns } from '../../../../domain/alerts/deriving/take-turn.ts';
import { endRule } from '../../../../domain/alerts/rules/change-rule.ts';
import { createRule, type NewRule } from '../../../../domain/alerts/rules/create-rule.ts';
import { listRules } from '../../../../domain/alerts/rules/stored-rules.ts';
import { trialOf } from '../../../../domain/alerts/trial/trial-of.ts';
import { readMoves } from '../../../../domain/moves/read-moves.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { messageOf, recordAll, registeredReader } from '../../../support/messages-of.ts';
import { aRead, record } from '../../../support/recording.ts';
import { sealAll } from '../../../support/seal-all.ts';
import { Site } from '../../../support/site.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;

describe('deriving alerts', () => {
  const database = useDatabase();
  const beginning = Date.now() * 1_000 - 10 * HOUR * MICROS_PER_SECOND;
  const at = (second: number): Micros => beginning + second * MICROS_PER_SECOND;
  let site: Site;
  let dock: number;
  let yard: number;
  let readerId: number;
  let pallet: number;

  beforeEach(async () => {
    await database.rows(`update alert_derivation set derived_at = '-infinity'`);
    site = await Site.create(database);
    dock = await site.location('DOCK');
    yard = await site.location('YARD');
    readerId = await site.reader(`reader-${site.orgId}`, [dock, yard]);
    pallet = await site.asset('PALLET', 'E280');
  });

  const rule = (wanted: Omit<NewRule, 'orgId'>) =>
    createRule(databaseOn(database.pool), TEST_ACTOR, Date.now() * 1_000, {
      ...{ orgId: site.orgId, validFrom: at(0) },
      ...wanted,
    });
  const read = (locationId: number, second: number, receivedAt = at(second)) =>
    record(database, [
      aRead({ orgId: site.orgId, readerId, value: 'E280', locationId, at: at(second), receivedAt }),
    ]);
  const readAt = (locationId: number, instant: Micros) =>
    record(database, [aRead({ orgId: site.orgId, readerId, value: 'E280', locationId, at: instant })]);
  const derive = async (turns: AlertTurns) => {
    await sealAll(database.url);
    while ((await turns.take()) === 'behind') {}
    await sealAll(database.url);
  };
  const alerts = () =>
    database.rows(
      `select state, asset_id, reader_id, location_id, micros_of_time(opened_at) as opened,
         micros_of_time(closed_at) as closed
       from alerts where org_id = $1 order by opened_at, id`,
      [site.orgId],
    );
  const told = async () => {
    const { events } = await readMoves(
      { ...databaseOn(database.pool), orgId: site.orgId },
      {
        after: 0,
        limit: 200,
      },
    );
    return events.flatMap(({ type }) => (type.startsWith('tagtrail.alert.') ? [type.split('.')[2]] : []));
  };

  it('opens one when an asset comes to where it must not be, closes it when it leaves, and tells each once', async () => {
    await rule({ kind: 'not_allowed', locationExternalKey: 'YARD' });
    const turns = new AlertTurns(database.pool);
    await derive(turns);
    await read(dock, 10);
    await read(yard, 20);
    await derive(turns);
    const open = { asset_id: pallet, reader_id: null, location_id: yard, opened: at(20) };
    expect(await alerts()).to.deep.equal([{ ...open, state: 'open', closed: null }]);
    await derive(turns);
    await read(dock, 30);
    await derive(turns);
    expect(await alerts()).to.deep.equal([{ ...open, state: 'closed', closed: at(30) }]);
    expect(await told()).to.deep.equal(['opened', 'closed']);
  });

  it('opens one again that was not over after all, and that nobody has taken notice of since', async () => {
    await rule({ kind: 'not_allowed', locationExternalKey: 'YARD' });
    const turns = new AlertTurns(database.pool);
    await read(yard, 20);
    await derive(turns);
    await database.rows(
      `with over as (
         update alerts set state = 'closed', closed_at = time_of_micros($3), acknowledged_at = now(), acknowledged_by = 'Anna'
         where org_id = $1
       )
       insert into alert_revisions (org_id, subject, subject_id, since) values ($1, 'asset', $2, time_of_micros($3))`,
      [site.orgId, pallet, at(25)],
    );
    await derive(turns);
    expect(
      await database.rows(
        'select state, closed_at, acknowledged_at, acknowledged_by from alerts where org_id = $1',
        [site.orgId],
      ),
    ).to.deep.equal([{ state: 'open', closed_at: null, acknowledged_at: null, acknowledged_by: null }]);
  });

  it('leaves an acknowledgement with what it was of, though late reads show that it began later, and again', async () => {
    await rule({ kind: 'dwell', locationExternalKey: 'YARD', after: 10 * MICROS_PER_SECOND });
    const turns = new AlertTurns(database.pool);
    await read(yard, 20);
    await derive(turns);
    await database.rows(
      `update alerts set state = 'acknowledged', acknowledged_at = time_of_micros($2), acknowledged_by = 'Anna'
       where org_id = $1`,
      [site.orgId, at(35)],
    );
    await record(
      database,
      [[dock, 22] as const, [yard, 23] as const, [dock, 40] as const, [yard, 60] as const].map(
        ([locationId, second]) =>
          aRead({
            ...{ orgId: site.orgId, readerId, value: 'E280', locationId },
            ...{ at: at(second), receivedAt: at(300) },
          }),
      ),
    );
    await derive(turns);
    expect(
      await database.rows(
        `select state, micros_of_time(opened_at) as opened, acknowledged_by as by from alerts
         where org_id = $1 order by opened_at`,
        [site.orgId],
      ),
    ).to.deep.equal([
      { state: 'closed', opened: at(33), by: 'Anna' },
      { state: 'open', opened: at(70), by: null },
    ]);
  });

  it('withdraws one that late reads disprove', async () => {
    await rule({ kind: 'dwell', locationExternalKey: 'YARD', after: 100 * MICROS_PER_SECOND });
    const turns = new AlertTurns(database.pool);
    await read(yard, 10);
    await read(dock, 200);
    await derive(turns);
    await read(dock, 60, at(300));
    await derive(turns);
    expect((await alerts()).map(({ state }) => state)).to.deep.equal(['withdrawn']);
    expect(await told()).to.deep.equal(['opened', 'closed', 'withdrawn']);
  });

  it('closes what a rule raised about a location that is deleted, wherever its assets are', async () => {
    const spare = await site.location('SPARE');
    const { id } = await rule({ kind: 'must_be', locationExternalKey: 'SPARE' });
    const turns = new AlertTurns(database.pool);
    await read(dock, 20);
    await derive(turns);
    expect((await alerts()).map(({ state }) => state)).to.deep.equal(['open']);
    await database.rows('update locations set deleted_at = clock_timestamp() where id = $1', [spare]);
    await derive(turns);
    const [{ at: deletedAt } = { at: 0 }] = await database.rows<{ at: number }>(
      'select micros_of_time(deleted_at) as at from locations where id = $1',
      [spare],
    );
    while ((await alerts()).some(({ state }) => state === 'open')) {
      await derive(turns);
    }
    expect(await alerts()).to.deep.include.members([
      {
        ...{ asset_id: pallet, reader_id: null, location_id: dock },
        ...{ opened: at(20), state: 'closed', closed: deletedAt },
      },
    ]);
    const [shown] = await listRules(database.pool, site.orgId);
    expect(shown).to.include({ id, endsAt: null, locationDeletedAt: deletedAt });
    const { window, ...trial } = await trialOf(
      database.pool,
      ...([Date.now() * 1_000, { orgId: site.orgId, of: { id }, since: null }] as const),
    );
    expect(trial).to.include({ until: deletedAt });
  });

  it('goes by the tree of locations as it is by then, also where it was looked at before', async () => {
    const hall = await site.location('HALL');
    await rule({ kind: 'not_allowed', locationExternalKey: 'HALL' });
    const turns = new AlertTurns(database.pool);
    const parentOfYard = (parentId: number | null) =>
      database.rows('update locations set parent_id = $2 where id = $1', [yard, parentId]);
    const until = async (states: string[]) => {
      do {
        await derive(turns);
      } while (JSON.stringify((await alerts()).map(({ state }) => state)) !== JSON.stringify(states));
    };
    await read(yard, 10);
    await until([]);
    await parentOfYard(hall);
    await until(['open']);
    await parentOfYard(null);
    await until(['closed']);
  });

  it('withdraws what a rule raised that is ended as of before it began', async () => {
    const { id } = await rule({ kind: 'not_allowed', locationExternalKey: 'YARD' });
    const turns = new AlertTurns(database.pool);
    await read(yard, 20);
    await derive(turns);
    expect((await alerts()).map(({ state }) => state)).to.deep.equal(['open']);
    const now = Date.now() * 1_000;
    await endRule(
      databaseOn(database.pool),
      TEST_ACTOR,
      now,
      { orgId: site.orgId, id },
      { validFrom: at(0) },
    );
    await derive(turns);
    expect((await alerts()).map(({ state }) => state)).to.deep.equal(['withdrawn']);
  });

  it('finds what moves make true just now and in a while, though most need not be looked at', async () => {
    await site.location('HALL');
    await rule({ kind: 'not_allowed', locationExternalKey: 'YARD' });
    await rule({ kind: 'must_be', locationExternalKey: 'DOCK', after: 2 * MICROS_PER_SECOND });
    await read(dock, 10);
    const turns = new AlertTurns(database.pool);
    await derive(turns);
    const left = Date.now() * 1_000;
    await readAt(yard, left);
    const found = async (count: number) => {
      for (;;) {
        await derive(turns);
        const all = await alerts();
        if (all.length === count) {
          return all.map(({ opened, state }) => [opened, state]);
        }
      }
    };
    expect(await found(1)).to.deep.equal([[left, 'open']]);
    expect(await found(2)).to.deep.equal([
      [left, 'open'],
      [left + 2 * MICROS_PER_SECOND, 'open'],
    ]);
    const back = Date.now() * 1_000;
    await readAt(dock, back);
    while ((await alerts()).some(({ state }) => state === 'open')) {
      await derive(turns);
    }
    const again = Date.now() * 1_000;
    await readAt(yard, again);
    expect((await found(4)).slice(2)).to.deep.equal([
      [again, 'open'],
      [again + 2 * MICROS_PER_SECOND, 'open'],
    ]);
  });

  it('looks again at what was read for the first time right before it begins', async () => {
    await rule({ kind: 'dwell', locationExternalKey: 'YARD', after: MICROS_PER_SECOND });
    const since = Date.now() * 1_000;
    await readAt(yard, since);
    await sealAll(database.url);
    const turns = new AlertTurns(database.pool);
    while ((await alerts()).length === 0) {
      await turns.take();
    }
    expect((await alerts())[0]).to.deep.include({ state: 'open', opened: since + MICROS_PER_SECOND });
  });

  it('forgets nothing that is due when something else has it looked at before', async () => {
    const turns = new AlertTurns(database.pool);
    await rule({ kind: 'dwell', locationExternalKey: 'YARD', after: MICROS_PER_SECOND });
    await derive(turns);
    const since = Date.now() * 1_000;
    await readAt(yard, since);
    await sealAll(database.url);
    await turns.take();
    await database.rows(
      `insert into alert_revisions (org_id, subject, subject_id, since) values ($1, 'asset', $2, time_of_micros($3))`,
      [site.orgId, pallet, at(0)],
    );
    await turns.take();
    while ((await alerts()).length === 0) {
      await turns.take();
    }
    expect((await alerts())[0]).to.deep.include({ state: 'open', opened: since + MICROS_PER_SECOND });
  });

  const listen = async () => {
    await database.rows('update antenna_versions set since = time_of_micros($2) where org_id = $1', [
      ...[site.orgId, at(-100 * DAY)],
    ]);
    await database.rows(
      `insert into location_watches (org_id, location_id, valid_from, mode, max_gap_seconds, is_learned, coverage)
       values ($1, $2, time_of_micros($3), 'continuous', 60, false, 'all')`,
      [site.orgId, dock, at(-100 * DAY)],
    );
  };
  const hear = (from: Micros, until: Micros) =>
    database.rows(
      `insert into reader_counters (org_id, reader_id, heard_since, heard_until, heard_messages)
       values ($1, $2, time_of_micros($3), time_of_micros($4), 1)
       on conflict (org_id, reader_id) do update set heard_since = excluded.heard_since, heard_until = excluded.heard_until`,
      [site.orgId, readerId, from, until],
    );

  it('waits while nobody listens, and goes on as soon as somebody does', async () => {
    await listen();
    await rule({ kind: 'overdue', after: 30 * MICROS_PER_SECOND });
    await read(dock, 10);
    await hear(at(0), at(20));
    const turns = new AlertTurns(database.pool);
    await derive(turns);
    await derive(turns);
    expect(await alerts()).to.deep.equal([]);
    const again = Date.now() * 1_000 - 60 * MICROS_PER_SECOND;
    await hear(again, Date.now() * 1_000);
    while ((await alerts()).length === 0) {
      await turns.take();
    }
    expect((await alerts())[0]).to.deep.include({ state: 'open', opened: again + 20 * MICROS_PER_SECOND });
  });

  it('finds what was over, as it was read elsewhere, before its reader proved to have listened', async () => {
    await listen();
    await rule({ kind: 'overdue', after: 30 * MICROS_PER_SECOND });
    await database.rows(
      `insert into reader_expectations (org_id, reader_id, origin, valid_from, seconds)
       values ($1, $2, 'set', time_of_micros($3), 3600)`,
      [site.orgId, readerId, at(0)],
    );
    const since = Date.now() * 1_000 - 100 * MICROS_PER_SECOND;
    const begun = (seconds: number) => since + seconds * MICROS_PER_SECOND;
    await readAt(dock, since);
    await hear(since, since);
    const turns = new AlertTurns(database.pool);
    await derive(turns);
    await readAt(yard, begun(60));
    await derive(turns);
    await database.rows(
      `insert into alert_revisions (org_id, subject, subject_id, since) values ($1, 'asset', $2, time_of_micros($3))`,
      [site.orgId, pallet, begun(90)],
    );
    await derive(turns);
    expect(await alerts()).to.deep.equal([]);
    await hear(since, begun(70));
    while ((await alerts()).length === 0) {
      await turns.take();
    }
    expect(await alerts()).to.deep.equal([
      {
        ...{ asset_id: pallet, reader_id: null, location_id: dock },
        ...{ state: 'closed', opened: begun(30), closed: begun(60) },
      },
    ]);
  });

  it('finds what is taken where only a reader listens whose clock is hours behind', async () => {
    await listen();
    await rule({ kind: 'overdue', after: 2 * MICROS_PER_SECOND, validFrom: at(-DAY) });
    await site.asset('STAYS', 'E281');
    const reader = await registeredReader(database.pool, readerId);
    const send = (receivedAt: Micros, values: string[]) =>
      recordAll(database.pool, [
        messageOf(reader, receivedAt, [receivedAt - 5 * HOUR * MICROS_PER_SECOND], values),
      ]);
    const began = Date.now() * 1_000;
    for (let second = -10; second < 0; second++) {
      await send(began + second * MICROS_PER_SECOND, ['E280', 'E281']);
    }
    const turns = new AlertTurns(database.pool);
    await derive(turns);
    expect(await alerts()).to.deep.equal([]);
    while (!(await alerts()).some(({ asset_id: id }) => id === pallet)) {
      await send(Date.now() * 1_000, ['E281']);
      await derive(turns);
    }
    const found = (await alerts()).find(({ asset_id: id }) => id === pallet);
    expect(found).to.deep.include({ state: 'open', location_id: dock });
  });

  it('leaves those open that are older than what it looks back at, until they end', async () => {
    await listen();
    const { id: ruleId } = await rule({ kind: 'overdue', after: 600 * MICROS_PER_SECOND });
    await database.rows('update rules set valid_from = time_of_micros($2) where org_id = $1', [
      ...[site.orgId, at(-100 * DAY)],
    ]);
    const opened = at(-80 * DAY);
    await record(
      database,
      [
        aRead({
          orgId: site.orgId,
          readerId,
          value: 'E280',
          locationId: dock,
          at: opened,
          receivedAt: opened,
        }),
      ],
      opened,
    );
    await hear(opened, opened + HOUR * MICROS_PER_SECOND);
    const turns = new AlertTurns(database.pool);
    await database.rows(
      `insert into alerts (org_id, id, rule_id, rule_valid_from, rule_name, kind, asset_id, location_id, opened_at, because)
       select $1, 'OLD', id, valid_from, name, kind, $3, $4, time_of_micros($5), '{"state": "overdue"}' from rules
       where org_id = $1 and id = $2`,
      [site.orgId, ruleId, pallet, dock, opened + 600 * MICROS_PER_SECOND],
    );
    await derive(turns);
    await hear(at(0), at(HOUR));
    await database.rows(
      `insert into alert_revisions (org_id, subject, subject_id, since) values ($1, 'listening', $2, time_of_micros($3))`,
      [site.orgId, readerId, at(0)],
    );
    await derive(turns);
    const old = {
      asset_id: pallet,
      reader_id: null,
      location_id: dock,
      opened: opened + 600 * MICROS_PER_SECOND,
    };
    expect(await alerts()).to.deep.equal([{ ...old, state: 'open', closed: null }]);
    await read(dock, 2 * HOUR);
    await derive(turns);
    expect(await alerts()).to.deep.equal([{ ...old, state: 'closed', closed: at(2 * HOUR) }]);
  });

  it('leaves those alone of which the scans are not kept any more', async () => {
    await listen();
    await rule({ kind: 'overdue', after: 60 * MICROS_PER_SECOND, validFrom: at(-HOUR) });
    await hear(at(0), at(HOUR));
    await read(dock, 10);
    await read(dock, 1_000);
    const turns = new AlertTurns(database.pool);
    await derive(turns);
    const [alert] = await alerts();
    expect(alert).to.deep.include({ state: 'closed', opened: at(70), closed: at(1_000) });
    const again = (since: number) =>
      database.rows(
        `insert into alert_revisions (org_id, subject, subject_id, since)
         values ($1, 'asset', $2, time_of_micros($3))`,
        [site.orgId, pallet, at(since)],
      );
    await database.rows('delete from scan_events where org_id = $1 and observed_at < time_of_micros($2)', [
      site.orgId,
      at(500),
    ]);
    await again(30);
    await derive(turns);
    expect((await alerts())[0]).to.deep.equal(alert);
  });

  it('ends with the asset', async () => {
    await rule({ kind: 'not_allowed', locationExternalKey: 'YARD' });
    await read(yard, 20);
    const turns = new AlertTurns(database.pool);
    await derive(turns);
    const [gone] = await database.rows<{ at: Micros }>(
      'update assets set deleted_at = clock_timestamp() where id = $1 returning micros_of_time(deleted_at) as at',
      [pallet],
    );
    while ((await alerts()).some(({ state }) => state === 'open')) {
      await derive(turns);
    }
    expect((await alerts())[0]).to.deep.include({ state: 'closed', opened: at(20), closed: gone?.at });
  });

  it('has nothing more to do with an organization that was deleted, and forgets what was to be derived', async () => {
    await rule({ kind: 'not_allowed', locationExternalKey: 'YARD' });
    const turns = new AlertTurns(database.pool);
    await derive(turns);
    await read(yard, 20);
    await database.rows('update organizations set deleted_at = clock_timestamp() where id = $1', [
      site.orgId,
    ]);
    await derive(turns);
    expect(await alerts()).to.deep.equal([]);
    await database.rows(
      `insert into alert_revisions (org_id, subject, subject_id, since) values ($1, 'location', $2, now())`,
      [site.orgId, yard],
    );
    await derive(new AlertTurns(database.pool));
    await database.rows(`update alert_derivation set derived_at = '-infinity'`);
    await derive(new AlertTurns(database.pool));
    expect(await database.rows('select from alert_revisions where org_id = $1', [site.orgId])).to.deep.equal(
      [],
    );
  });

  it('has one for a reader that is silent, by another process too', async () => {
    await rule({ kind: 'reader', after: 30 * MICROS_PER_SECOND });
    await derive(new AlertTurns(database.pool));
    await database.rows(
      `insert into reader_spans (org_id, reader_id, state, started_at) values ($1, $2, 'silent', time_of_micros($3))`,
      [site.orgId, readerId, at(50)],
    );
    await database.rows(`update alert_derivation set derived_at = '-infinity'`);
    const turns = new AlertTurns(database.pool);
    await derive(turns);
    const [alert] = await alerts();
    expect(alert).to.deep.include({ state: 'open', reader_id: readerId, opened: at(80), closed: null });
    await database.rows('update reader_spans set ended_at = time_of_micros($2) where reader_id = $1', [
      readerId,
      at(500),
    ]);
    await derive(turns);
    expect(await alerts()).to.deep.equal([{ ...alert, state: 'closed', closed: at(500) }]);
    expect(await told()).to.deep.equal(['opened', 'closed']);
  });
});
