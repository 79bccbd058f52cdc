import { expect } from 'chai';
import { MICROS_PER_SECOND, type Micros } from '../../../../base/instant.ts';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { inTransaction } from '../../../../db/timescale/connections/transaction.ts';
import { deriveOrganization } from '../../../../domain/alerts/deriving/derive-organization.ts';
import { newOrganization, type Organization } from '../../../../domain/alerts/deriving/organization.ts';
import { findBehind } from '../../../../domain/alerts/deriving/read-moves.ts';
import { createRule, type NewRule } from '../../../../domain/alerts/rules/create-rule.ts';
import { findRevised } from '../../../../domain/presence/revised-organizations.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { STRENGTH, storeSettings } from '../../../support/location-settings.ts';
import { aRead, record } from '../../../support/recording.ts';
import { sealAll } from '../../../support/seal-all.ts';
import { Site } from '../../../support/site.ts';

describe("an organization's part of a turn", () => {
  const database = useDatabase();
  const beginning = Date.now() * 1_000 - 36_000 * MICROS_PER_SECOND;
  const at = (second: number): Micros => beginning + Math.round(second * MICROS_PER_SECOND);
  let site: Site;
  let dock: number;
  let yard: number;
  let hall: number;
  let readerId: number;
  let pallet: number;
  let organization: Organization;

  beforeEach(async () => {
    site = await Site.create(database);
    dock = await site.location('DOCK');
    yard = await site.location('YARD');
    hall = await site.location('HALL');
    readerId = await site.reader(`reader-${site.orgId}`, [dock, yard, hall]);
    pallet = await site.asset('PALLET', 'E280');
    organization = newOrganization();
  });

  const rule = (wanted: Omit<NewRule, 'orgId'>) =>
    createRule(databaseOn(database.pool), TEST_ACTOR, Date.now() * 1_000, {
      ...{ orgId: site.orgId, validFrom: at(0) },
      ...wanted,
    });
  const forbidden = () => rule({ kind: 'not_allowed', locationExternalKey: 'YARD', name: 'Forbidden' });
  const readOf = ([locationId, second]: readonly [locationId: number, second: number]) =>
    aRead({ orgId: site.orgId, readerId, value: 'E280', locationId, at: at(second) });
  const read = (...reads: readonly (readonly [locationId: number, second: number])[]) =>
    record(database, reads.map(readOf));
  const turn = async (second: number, share = 100) => {
    await sealAll(database.url);
    await inTransaction(database.pool, async (db) => {
      const [feed = null] = await findBehind(db, [site.orgId]);
      const isRevised = (await findRevised(db, 'alert_revisions')).includes(site.orgId);
      await deriveOrganization(db, site.orgId, organization, {
        ...{ now: at(second), since: at(0), share, feed, isRevised },
        ...{ again: [], heard: undefined, isLate: () => false },
      });
    });
  };
  const alerts = async () => {
    const rows = await database.rows<{ rule_name: string; opened: Micros; closed: Micros | null }>(
      `select rule_name, micros_of_time(opened_at) as opened, micros_of_time(closed_at) as closed
       from alerts where org_id = $1 order by opened_at`,
      [site.orgId],
    );
    return rows.map(({ rule_name: name, opened, closed }) => [name, opened, closed]);
  };

  it('looks at what is dated after its window from where that begins on, however soon it is over', async () => {
    await forbidden();
    await read([dock, 10]);
    await turn(60);
    await read([yard, 60.2], [dock, 60.6]);
    await turn(60);
    await turn(62);
    expect(await alerts()).to.deep.equal([['Forbidden', at(60.2), at(60.6)]]);
    // As of one that is overdue.
    organization.inTime.delete(pallet);
    await read([yard, 70.2]);
    await read([dock, 70.6]);
    await turn(70);
    await turn(72);
    expect((await alerts()).slice(1)).to.deep.equal([['Forbidden', at(70.2), at(70.6)]]);
  });

  it('does not forget what is dated after its window for what is due before', async () => {
    await forbidden();
    await rule({
      kind: 'dwell',
      locationExternalKey: 'DOCK',
      after: 30 * MICROS_PER_SECOND,
      name: 'Dwelling',
    });
    await read([hall, 5]);
    await turn(6);
    await read([dock, 10]);
    await turn(11);
    await read([yard, 41.5]);
    await turn(39);
    await turn(40.5);
    expect(await alerts()).to.deep.equal([['Dwelling', at(40), null]]);
    await turn(42);
    expect(await alerts()).to.deep.equal([
      ['Dwelling', at(40), at(41.5)],
      ['Forbidden', at(41.5), null],
    ]);
  });

  it('looks at an asset from the earliest of what is new on, whichever rules that is of', async () => {
    await forbidden();
    await read([dock, 10]);
    await turn(11);
    await read([yard, 20.1]);
    await read([dock, 20.3]);
    organization.assets.add(pallet, at(20.5));
    await turn(21);
    expect(await alerts()).to.deep.equal([['Forbidden', at(20.1), at(20.3)]]);
  });

  it('withdraws what strength no longer says once more reads have come, within 30 s', async () => {
    await forbidden();
    await storeSettings(database, site.orgId, [{ locationId: null, validFrom: at(0), setting: STRENGTH }]);
    const heard = (locationId: number, antenna: number, second: number, rssi: number) =>
      aRead({ orgId: site.orgId, readerId, value: 'E280', locationId, antenna, at: at(second), rssi });
    const atDock = (from: number, to: number) =>
      Array.from({ length: 2 * (to - from) }, (_, half) => heard(dock, 1, from + half / 2, -60));
    await record(database, atDock(1, 11));
    // One strong read of the yard's antenna, and then what it hears of the dock.
    await record(database, [heard(yard, 2, 11, -50)]);
    await turn(12);
    expect(await alerts()).to.deep.equal([['Forbidden', at(11), null]]);
    const faint = [11.6, 12.1, 12.6, 13.1, 13.6, 14.1].map((second) => heard(yard, 2, second, -75));
    await record(database, [...atDock(11.5, 15), ...faint]);
    await turn(16);
    const states = await database.rows('select state from alerts where org_id = $1', [site.orgId]);
    expect(states).to.deep.equal([{ state: 'withdrawn' }]);
  });

  it('does not forget what was measured after its window, where only what was before had it look', async () => {
    await rule({ kind: 'reading', reading: 'temperature_c', above: 8, hysteresis: 1, name: 'Warm' });
    await turn(15);
    const values = [
      [20, 9],
      [26, 5],
      [27, 9],
      [28, 5],
    ] as const;
    await record(
      database,
      values.map(([second, temperature_c]) => ({ ...readOf([dock, second]), readings: { temperature_c } })),
    );
    await turn(25);
    expect(await alerts()).to.deep.equal([['Warm', at(20), null]]);
    await turn(26.5);
    await turn(29);
    expect(await alerts()).to.deep.equal([
      ['Warm', at(20), at(26)],
      ['Warm', at(27), at(28)],
    ]);
  });

  it('looks at first at every asset that measures, page by page, placed or not', async () => {
    await rule({ kind: 'reading', reading: 'temperature_c', above: 8, hysteresis: 1, name: 'Warm' });
    const ids: number[] = [];
    for (let n = 1; n <= 7; n++) {
      ids.push(await site.asset(`A-${n}`, `E29${n}`));
      const read = readOf([dock, 1]);
      const tag = { ...read, value: `E29${n}`, locationId: n % 3 === 0 ? read.locationId : null };
      await record(database, [{ ...tag, readings: { temperature_c: 9 } }]);
    }
    await database.rows('delete from alert_revisions where org_id = $1', [site.orgId]);
    const pages: (number | null)[] = [];
    do {
      await turn(20 + pages.length, 3);
      pages.push(organization.lookedUpTo);
    } while (organization.lookedUpTo !== null);
    expect(pages).to.deep.equal([ids[2], ids[5], null]);
    expect(await alerts()).to.deep.equal(ids.map(() => ['Warm', at(1), null]));
  });

  it('does not forget what is dated after its window of a reader', async () => {
    await rule({ kind: 'reader', after: MICROS_PER_SECOND, name: 'Silent' });
    await turn(10);
    await database.rows(
      `insert into reader_spans (org_id, reader_id, state, started_at) values ($1, $2, 'silent', time_of_micros($3))`,
      [site.orgId, readerId, at(21.5)],
    );
    organization.readers.add(readerId, at(20.2));
    for (const second of [20, 21, 22, 23]) {
      await turn(second);
    }
    expect(await alerts()).to.deep.equal([['Silent', at(22.5), null]]);
  });
});
