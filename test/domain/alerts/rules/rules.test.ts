import { expect } from 'chai';
import { MICROS_PER_DAY, MICROS_PER_SECOND } from '../../../../base/instant.ts';
import { type Database, databaseOn } from '../../../../db/timescale/connections/database.ts';
import { changeRule, endRule } from '../../../../domain/alerts/rules/change-rule.ts';
import { createRule } from '../../../../domain/alerts/rules/create-rule.ts';
import { loadOverdueRules, loadRules } from '../../../../domain/alerts/rules/load-rules.ts';
import { LIMITS } from '../../../../domain/alerts/rules/settings.ts';
import { listRules } from '../../../../domain/alerts/rules/stored-rules.ts';
import { UNBOUND } from '../../../../domain/tracking/reading-bound.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { Random } from '../../../support/random.ts';
import { Site } from '../../../support/site.ts';

const MINUTE = 60 * MICROS_PER_SECOND;
const NOW = Date.now() * 1_000;

describe('dated rules', () => {
  const database = useDatabase();
  let db: Database;
  let site: Site;
  before(() => {
    db = databaseOn(database.pool);
  });
  beforeEach(async () => {
    site = await Site.create(database);
  });

  const create = (more: object = {}) =>
    createRule(db, TEST_ACTOR, NOW, { orgId: site.orgId, kind: 'overdue', after: MINUTE, ...more });
  const loaded = (since = 0) => loadRules(db, [site.orgId], since);

  it('count from when they are set, and as they were set then for good', async () => {
    const asset = await site.asset('PUMP');
    const hall = await site.location('HALL');
    const { id } = await create({
      ...{ name: 'Pumps', assetExternalKeys: ['PUMP'], withinLocationExternalKey: 'HALL' },
      metadata: [{ path: ['owner'], value: 'ACME' }],
      validFrom: NOW - MICROS_PER_DAY,
    });
    await changeRule(db, TEST_ACTOR, NOW, { orgId: site.orgId, id }, { after: 2 * MINUTE, validFrom: null });
    const [first, second, ...none] = await loaded();
    const selection = {
      ...{ assetIds: [asset], withinLocationId: hall, readerIds: null },
      metadata: [{ path: ['owner'], value: 'ACME' }],
    };
    const common = {
      ...{ ruleId: id, orgId: site.orgId, kind: 'overdue', name: 'Pumps', selection, mailTo: [] },
    };
    const more = { ...common, thenAfter: null, locationId: null, hours: null, bound: UNBOUND };
    expect(first).to.deep.equal({ ...more, after: MINUTE, from: NOW - MICROS_PER_DAY, until: second?.from });
    expect(second).to.deep.equal({ ...more, after: 2 * MINUTE, from: second?.from, until: null });
    expect(none).to.deep.equal([]);
    expect(await loaded(second?.from)).to.deep.equal([second]);
  });

  it('are what was set last of those that had begun at an instant', async () => {
    const random = new Random(5, 1);
    const settings: { version: number; id: string; at: number; isEnded: boolean }[] = [];
    for (let rule = 0; rule < 10; rule += 1) {
      const { id } = await create({ validFrom: NOW + random.below(10), after: MICROS_PER_SECOND });
      const versions = 1 + random.below(6);
      for (let version = 1; version <= versions; version += 1) {
        settings.push({ version, id, at: NOW + random.below(10), isEnded: version > 1 && random.once(4) });
      }
    }
    await database.rows('delete from rules where org_id = $1', [site.orgId]);
    for (const { version, id, at, isEnded } of settings) {
      await database.rows(
        `insert into rules (org_id, id, version, valid_from, is_ended, kind, name, after_seconds, metadata, mail_to)
         values ($1, $2, $3, time_of_micros($4), $5, 'overdue', 'any', $3, '[]', '{}')`,
        [site.orgId, id, version, at, isEnded],
      );
    }
    const rules = await loaded();
    for (let at = NOW - 1; at < NOW + 11; at += 1) {
      const stored = rules.filter(({ from, until }) => from <= at && (until === null || at < until));
      const byDefinition = Map.groupBy(settings, ({ id }) => id);
      const counting = [...byDefinition.values()].flatMap((own) => {
        const last = own.filter((setting) => setting.at <= at).at(-1);
        return last === undefined || last.isEnded ? [] : `${last.id} ${last.version}`;
      });
      const said = stored.map(({ ruleId, after }) => `${ruleId} ${(after ?? 0) / MICROS_PER_SECOND}`);
      expect(said.sort()).to.deep.equal(counting.sort());
    }
  });

  it('are listed until they end, and kept for what is derived of before', async () => {
    const [first, second] = [await create(), await create({ name: 'second' })];
    await endRule(db, TEST_ACTOR, NOW, first, { validFrom: null });
    await endRule(db, TEST_ACTOR, NOW, second, { validFrom: NOW + MICROS_PER_DAY });
    const listed = await listRules(db, site.orgId);
    expect(listed.map(({ id, endsAt }) => [id, endsAt])).to.deep.equal([[second.id, NOW + MICROS_PER_DAY]]);
    expect((await loaded()).map(({ ruleId, until }) => [ruleId, until !== null])).to.deep.equal([
      [first.id, true],
      [second.id, true],
    ]);
  });

  it('keep the end that is planned when they are changed, until that is changed or taken away', async () => {
    const ref = await create();
    const end = NOW + MICROS_PER_DAY;
    await endRule(db, TEST_ACTOR, NOW, ref, { validFrom: end });
    expect((await endRule(db, TEST_ACTOR, NOW, ref, { validFrom: end + MINUTE })).endsAt).to.equal(end);
    const change = (given: object) =>
      changeRule(db, TEST_ACTOR, Date.now() * 1_000, ref, { validFrom: null, ...given } as never);
    const last = async () => (await loaded()).at(-1);
    expect((await change({ name: 'second' })).endsAt).to.equal(end);
    expect(await last()).to.deep.include({ name: 'second', until: end });
    const { version } = await change({ name: 'second' });
    expect((await change({ name: 'second', endsAt: end })).version).to.equal(version);
    expect((await change({ endsAt: end + MINUTE })).endsAt).to.equal(end + MINUTE);
    expect((await change({ endsAt: null })).endsAt).to.equal(null);
    expect(await last()).to.deep.include({ name: 'second', until: null });
    // What begins when it was to end goes on from there.
    await endRule(db, TEST_ACTOR, NOW, ref, { validFrom: end });
    expect((await change({ name: 'third', validFrom: end })).endsAt).to.equal(null);
    expect(await last()).to.deep.include({ name: 'third', from: end, until: null });
    const refused = await change({ endsAt: end }).catch((error: { issues: unknown }) => error.issues);
    expect(refused).to.have.nested.property('[0].field', 'ends_at');
  });

  it('are changed without beginning any sooner, as long as nobody says so', async () => {
    const { id } = await create();
    const ref = { orgId: site.orgId, id };
    const change = (given: object) => changeRule(db, TEST_ACTOR, Date.now() * 1_000, ref, given as never);
    const later = NOW + MICROS_PER_DAY;
    await change({ after: 2 * MINUTE, validFrom: later });
    expect(await change({ name: 'Later', validFrom: null })).to.deep.include({ validFrom: later });
    const said = async () => (await loaded()).map(({ after, name, from }) => [after, name, from >= later]);
    expect(await said()).to.deep.equal([
      [MINUTE, 'overdue', false],
      [2 * MINUTE, 'Later', true],
    ]);
    const now = Date.now() * 1_000;
    expect(await change({ validFrom: now })).to.deep.include({ validFrom: now });
    expect(await said()).to.deep.equal([
      [MINUTE, 'overdue', false],
      [2 * MINUTE, 'Later', false],
    ]);
  });

  it('can be ended also where nothing more can be set', async () => {
    const { id } = await create();
    await database.rows(
      `insert into rules (org_id, id, version, valid_from, is_ended, kind, name, after_seconds, metadata, mail_to)
       select org_id, id, number, valid_from, false, kind, name, 60, '[]', '{}'
       from rules, generate_series(2, $2) number where org_id = $1 and id = $3`,
      [site.orgId, LIMITS.versions, id],
    );
    const ref = { orgId: site.orgId, id };
    const refused = await changeRule(db, TEST_ACTOR, NOW, ref, { name: 'more', validFrom: null }).catch(
      String,
    );
    expect(refused).to.contain('can still be ended');
    await endRule(db, TEST_ACTOR, NOW, ref, { validFrom: null });
    expect(await listRules(db, site.orgId)).to.deep.equal([]);
  });

  it('of a kind are loaded with no more of their lists than is asked for', async () => {
    const keys = ['A', 'B', 'C', 'D'];
    const ids = await Promise.all(keys.map((key) => site.asset(key)));
    const [a = 0, b = 0] = ids;
    for (const assetExternalKeys of [['A', 'C'], ['B', 'A', 'D'], ['C', 'D'], null]) {
      await create({ assetExternalKeys, validFrom: NOW - MICROS_PER_DAY });
    }
    await create({ metadata: [{ path: ['owner'], value: 'ACME' }] });
    const other = await create({ kind: 'reader' });
    const late = await create({ validFrom: NOW + MICROS_PER_DAY });
    const window = { since: NOW - MINUTE, until: NOW + MICROS_PER_DAY };
    const cut = (await loaded())
      .filter(({ ruleId }) => ![other.id, late.id].includes(ruleId))
      .map(({ selection, ...rule }) => {
        const assetIds = selection.assetIds?.filter((id) => [a, b].includes(id)) ?? null;
        return { ...rule, selection: { ...selection, assetIds } };
      })
      .filter(({ selection: { assetIds } }) => assetIds?.length !== 0);
    expect(cut).to.have.length(4);
    expect(await loadOverdueRules(db, site.orgId, [a, b], window)).to.deep.equal(cut);
  });

  it('are there without any time if they never count, as they may have counted', async () => {
    const { id } = await create({ validFrom: NOW });
    await endRule(db, TEST_ACTOR, NOW, { orgId: site.orgId, id }, { validFrom: NOW - MINUTE });
    expect((await loaded()).map(({ from, until }) => [from, until])).to.deep.equal([[NOW, NOW]]);
    expect(await loaded(NOW)).to.deep.equal([]);
    expect(await listRules(db, site.orgId)).to.deep.equal([]);
  });

  it('are none of an organization that is deleted, nor of another', async () => {
    await create();
    const other = await Site.create(database, 'Other');
    expect(await loadRules(db, [other.orgId], 0)).to.deep.equal([]);
    expect((await loadRules(db, null, 0)).some(({ orgId }) => orgId === site.orgId)).to.equal(true);
    await database.rows('update organizations set deleted_at = now() where id = $1', [site.orgId]);
    expect(await loaded()).to.deep.equal([]);
  });

  it('are bounded in number, also by two who create the last at once', async () => {
    const { id } = await create();
    await database.rows(
      `insert into rules (org_id, id, version, valid_from, is_ended, kind, name, after_seconds, metadata, mail_to)
       select org_id, left(id, 22) || lpad(number::text, 4, '0'), 1, valid_from, false, kind, name, 60, '[]', '{}'
       from rules, generate_series(1, $2) number where org_id = $1 and id = $3`,
      [site.orgId, LIMITS.rules - 2, id],
    );
    const made = await Promise.allSettled([create(), create()]);
    expect(made.map(({ status }) => status).sort()).to.deep.equal(['fulfilled', 'rejected']);
    expect(String(made.find(({ status }) => status === 'rejected')?.['reason' as never])).to.contain(
      '200 rules',
    );
  });

  it('begin within what is derived, and name every wrong field', async () => {
    const refused = async (more: object) => {
      try {
        await create(more);
        return [];
      } catch (error) {
        return (error as { issues: { field: string; code: string }[] }).issues.map(({ field }) => field);
      }
    };
    expect(await refused({ validFrom: NOW - 32 * MICROS_PER_DAY })).to.deep.equal(['valid_from']);
    expect(await refused({ validFrom: NOW + 367 * MICROS_PER_DAY })).to.deep.equal(['valid_from']);
    expect(
      await refused({
        ...{ locationExternalKey: 'NONE', assetExternalKeys: ['A', 'B'], withinLocationExternalKey: 'NONE' },
        ...{ readerIds: [7], mailTo: ['nobody@example.com'], timeZone: 'Europe/Berlin' },
      }),
    ).to.deep.equal([
      'time_zone',
      ...['location_external_key', 'asset_external_keys', 'asset_external_keys'],
      ...['within_location_external_key', 'reader_ids', 'mail_to'],
    ]);
  });
});
