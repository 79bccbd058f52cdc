import { expect } from 'chai';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createHandheld } from '../../domain/administration/handhelds/create-handheld.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import type { Answer } from '../support/declared-by.ts';
import { type GatewayCall, useGateway } from '../support/gateway.ts';
import { ago, aScan, aSubmission } from '../support/new-submission.ts';
import { aSweep, theLargestSweep } from '../support/new-sweep.ts';
import { Site } from '../support/site.ts';
import { untilWaitingFor } from '../support/until-waiting.ts';

describe('a sweep', () => {
  const gateway = useGateway();
  const { database } = gateway;
  let dock: number;
  before(async () => {
    dock = await gateway.site.location('DOCK-1');
    await gateway.site.tag({ locationId: dock }, 'D1', 'barcode');
  });

  const send = (json: unknown, call: Partial<GatewayCall> = {}): Promise<Answer> =>
    gateway.call({ method: 'POST', path: '/handheld/v1/sweeps', json, ...call });
  const stored = async (id: string) =>
    (
      await database.rows<Record<string, unknown>>(
        `select org_id, handheld_id, location_id, include_descendants, expected, found, moved_here, missing, unknown,
           unknown_tags, ended_at - began_at as took, received_at - ended_at as ago
         from sweeps where id = $1`,
        [id],
      )
    )[0];
  const assetsOf = (id: string) =>
    database.rows(
      `select asset_id, expected, found, moved_here, missing from sweep_assets where sweep_id = $1
       order by asset_id`,
      [id],
    );
  const nothing = { expected: false, found: false, moved_here: false, missing: false };

  it('is kept as it was sent, with who sent it, and answered with its id and when it was received', async () => {
    const sweep = aSweep({
      expected: [17, 18],
      found: [17],
      moved_here: [21],
      missing: [18],
      unknown: ['E2FF', 'e2ff', 'E2FF'],
      include_descendants: true,
    });
    const answer = await send(sweep);
    expect(answer.status, answer.text).to.equal(201);
    expect(answer.body?.data).to.have.all.keys('sweep_id', 'received_at');
    expect(answer.body?.data.sweep_id).to.equal(sweep.sweep_id);
    expect(Date.now() - Date.parse(answer.body?.data.received_at)).to.be.within(0, 60_000);
    expect(await stored(sweep.sweep_id)).to.deep.include({
      org_id: gateway.site.orgId,
      handheld_id: gateway.handheldId,
      location_id: dock,
      include_descendants: true,
      ...{ expected: 2, found: 1, moved_here: 1, missing: 1, unknown: 2 },
      unknown_tags: ['E2FF', 'e2ff', 'E2FF'],
    });
    expect(await assetsOf(sweep.sweep_id)).to.deep.equal([
      { ...nothing, asset_id: 17, expected: true, found: true },
      { ...nothing, asset_id: 18, expected: true, missing: true },
      { ...nothing, asset_id: 21, moved_here: true },
    ]);
  });

  it('is recorded once and answered the same when it comes again, whatever its order, notation and sender', async () => {
    const sweep = aSweep({ expected: [1], found: [1] });
    const first = await send(sweep);
    const { sweep_id, sent_at: _, began_at, ...rest } = sweep;
    const { token } = await createHandheld(databaseOn(database.pool), TEST_ACTOR, {
      orgId: gateway.site.orgId,
      name: 'new token',
    });
    const again = await send(
      {
        ...Object.fromEntries(Object.entries(rest).reverse()),
        sent_at: ago(-60),
        began_at: began_at.replace('Z', '000+00:00'),
        sweep_id,
      },
      { token },
    );
    expect([first.status, again.status]).to.deep.equal([201, 200]);
    expect(again.text).to.equal(first.text);
    expect(await stored(sweep_id)).to.include({ handheld_id: gateway.handheldId });
    expect(await assetsOf(sweep_id)).to.have.lengthOf(1);
  });

  it('is a conflict with another body under the same id, and changes nothing', async () => {
    const sweep = aSweep({ expected: [1, 2], found: [1], missing: [2], unknown: ['E2FF'] });
    await send(sweep);
    const before = [await stored(sweep.sweep_id), await assetsOf(sweep.sweep_id)];
    for (const change of [
      { expected: [2, 1] },
      { found: [] },
      { moved_here: [3] },
      { missing: [] },
      { unknown: ['E2FE'] },
      { began_at: ago(700) },
      { ended_at: ago(0) },
      { include_descendants: true },
      { location: { id: dock } },
    ]) {
      const { body } = await send({ ...sweep, ...change });
      expect(body?.error, JSON.stringify(change)).to.include({
        type: 'conflict',
        status: 409,
        detail: `sweep ${sweep.sweep_id} was received before with another body`,
      });
    }
    expect([await stored(sweep.sweep_id), await assetsOf(sweep.sweep_id)]).to.deep.equal(before);
  });

  it('is recorded once when it comes ten times at the same moment, through two gateways', async () => {
    const other = await gateway.start();
    const sweep = aSweep({ expected: Array.from({ length: 1_000 }, (_, at) => at + 1) });
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => send(sweep, { url: index % 2 === 0 ? gateway.url : other })),
    );
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([...Array(9).fill(200), 201]);
    expect(new Set(answers.map(({ text }) => text))).to.have.lengthOf(1);
    expect(await assetsOf(sweep.sweep_id)).to.have.lengthOf(1_000);
  });

  it('has its times corrected by the error of the device’s clock', async () => {
    const slow = aSweep({ sent_at: ago(3_600), began_at: ago(3_900), ended_at: ago(3_660) });
    await send(slow);
    const row = await database.rows<{ began: number; ended: number }>(
      `select extract(epoch from received_at - began_at)::float8 as began,
         extract(epoch from received_at - ended_at)::float8 as ended from sweeps where id = $1`,
      [slow.sweep_id],
    );
    expect(row[0]?.began).to.be.within(299, 301);
    expect(row[0]?.ended).to.be.within(59, 61);
  });

  it('claims no time at which nobody may have looked if the clock was set in between', async () => {
    const unset = aSweep({ began_at: '2000-01-01T00:00:00Z', ended_at: ago(60) });
    const ahead = aSweep({ began_at: ago(-86_000), ended_at: ago(-86_400) });
    for (const sweep of [unset, ahead]) {
      expect((await send(sweep)).status).to.equal(201);
      const [row] = await database.rows(
        'select began_at = ended_at and ended_at <= received_at as holds from sweeps where id = $1',
        [sweep.sweep_id],
      );
      expect(row).to.deep.equal({ holds: true });
    }
  });

  it('does not compare a time that does not count with one that does', async () => {
    const unset = '2010-01-01T00:00:00Z';
    const epoch = '1970-01-01T00:00:00Z';
    // [times, seconds from beginning to end, from end to reception]
    for (const [times, took, ago_] of [
      [{ ended_at: unset }, 600, 0],
      [{ ended_at: epoch }, 600, 0],
      [{ ended_at: unset, sent_at: unset }, 0, 0],
      [{ began_at: '2099-01-01T00:00:00Z' }, 0, 1],
      [{ began_at: epoch }, 0, 1],
      [{ began_at: epoch, ended_at: epoch }, 0, 0],
      [{ began_at: '0001-01-01T00:00:00Z', ended_at: '9999-12-31T23:59:59Z' }, 0, 0],
    ] as const) {
      const sweep = aSweep(times);
      const answer = await send(sweep);
      expect(answer.status, answer.text).to.equal(201);
      const [row] = await database.rows<{ took: number; ago: number }>(
        `select extract(epoch from ended_at - began_at)::float8 as took,
           extract(epoch from received_at - ended_at)::float8 as ago from sweeps where id = $1`,
        [sweep.sweep_id],
      );
      expect(row?.took, JSON.stringify(times)).to.be.closeTo(took, 60);
      expect(row?.ago, JSON.stringify(times)).to.be.closeTo(ago_, 1);
    }
  });

  it('stays recorded when a time that lay ahead at first counts by the time of a repeat', async () => {
    const sweep = aSweep({ sent_at: ago(3_600), began_at: ago(0), ended_at: ago(3_601) });
    const first = await send(sweep);
    expect(first.status, first.text).to.equal(201);
    const again = await send({ ...sweep, sent_at: ago(0) });
    expect([again.status, again.text]).to.deep.equal([200, first.text]);
  });

  it('wants a clock that runs as its time of sending, and says so', async () => {
    const { body } = await send(aSweep({ sent_at: '1970-01-01T01:00:00+01:00' }));
    const [fault] = body?.error?.fields ?? [];
    expect(fault).to.include({ field: 'sent_at', code: 'invalid_value' });
    expect(fault?.message).to.include('1970-01-01T00:00:00Z').and.include('a wrong clock will do');
    expect(fault?.message).not.to.include('null');
  });

  it('names its location by id, key or tag, also one that was deleted meanwhile', async () => {
    const shelf = await gateway.site.location('SHELF');
    await gateway.site.tag({ locationId: shelf }, 'S1', 'barcode');
    const names = [{ id: shelf }, { external_key: 'SHELF' }, { tag: { tag_type: 'barcode', value: 'S1' } }];
    const sweepIt = async () => {
      for (const location of names) {
        const sweep = aSweep({ location });
        const answer = await send(sweep);
        expect(answer.status, answer.text).to.equal(201);
        expect(await stored(sweep.sweep_id)).to.include({ location_id: shelf });
      }
    };
    await sweepIt();
    await database.rows('update tags set detached_at = now() where location_id = $1', [shelf]);
    await database.rows('update locations set deleted_at = now() where id = $1', [shelf]);
    await sweepIt();
    // A live one with the name counts before the deleted one.
    const newShelf = await gateway.site.location('SHELF');
    await gateway.site.tag({ locationId: newShelf }, 'S1', 'barcode');
    for (const location of names.slice(1)) {
      const sweep = aSweep({ location });
      await send(sweep);
      expect(await stored(sweep.sweep_id)).to.include({ location_id: newShelf });
    }
  });

  it('keeps ids of other organizations’ assets to itself, and is no sweep of their locations', async () => {
    const other = await Site.create(database, 'Other');
    const theirs = { location: await other.location('THEIRS'), asset: await other.asset('PALLET', 'E2AB') };
    const answer = await send(aSweep({ expected: [theirs.asset], missing: [theirs.asset] }));
    expect(answer.status).to.equal(201);
    expect(answer.text).not.to.include('PALLET');
    for (const location of [{ id: theirs.location }, { external_key: 'THEIRS' }]) {
      const sweep = aSweep({ location });
      const refused = await send(sweep);
      expect(refused.body?.error).to.include({ type: 'validation_error', status: 400 });
      const [field] = refused.body?.error?.fields ?? [];
      expect(field).to.include({ field: `location.${Object.keys(location)[0]}`, code: 'fk_not_found' });
      expect(await stored(sweep.sweep_id)).to.equal(undefined);
    }
  });

  it('moves nothing: submissions do', async () => {
    const asset = await gateway.site.asset('FORKLIFT', 'E280AA');
    await send(aSweep({ moved_here: [asset] }));
    expect(await database.rows('select from positions')).to.deep.equal([]);
  });

  it('keeps no tokens among its unknown tags', async () => {
    const sweep = aSweep({ unknown: [`th_12_${'aB3-_'.repeat(8)}xyz`] });
    expect((await send(sweep)).status).to.equal(201);
    expect(await stored(sweep.sweep_id)).to.deep.include({ unknown_tags: [`th_12_${'*'.repeat(43)}`] });
  });

  it('is refused with the field and the remedy if anything is wrong with it, and nothing is kept', async () => {
    const tooMany = Array.from({ length: 10_001 }, (_, at) => at + 1);
    for (const [change, field, code] of [
      [{ sweep_id: 'x' }, 'sweep_id', 'invalid_value'],
      [{ sent_at: undefined }, 'sent_at', 'required'],
      [{ location: undefined }, 'location', 'required'],
      [{ location: {} }, 'location', 'invalid_value'],
      [{ location: { id: dock, external_key: 'DOCK-1' } }, 'location.id', 'ambiguous_fields'],
      [{ location: { external_key: 'NOWHERE' } }, 'location.external_key', 'fk_not_found'],
      [{ began_at: 'yesterday' }, 'began_at', 'invalid_value'],
      [{ ended_at: ago(900) }, 'ended_at', 'invalid_value'],
      [{ expected: undefined }, 'expected', 'required'],
      [{ found: [1, 0] }, 'found[1]', 'too_small'],
      [{ moved_here: [2_147_483_648] }, 'moved_here[0]', 'too_large'],
      [{ missing: tooMany }, 'missing', 'too_long'],
      [{ unknown: [''] }, 'unknown[0]', 'too_short'],
      [{ unknown: tooMany.map(String) }, 'unknown', 'too_long'],
    ] as const) {
      const sweep = aSweep(change);
      const { body } = await send(sweep);
      expect(body?.error, field).to.include({ type: 'validation_error', status: 400 });
      const [fault] = body?.error?.fields ?? [];
      expect([fault?.field, fault?.code]).to.deep.equal([field, code]);
      expect(fault?.message).to.be.a('string').and.not.equal('');
      expect(await stored(sweep.sweep_id)).to.equal(undefined);
    }
    for (const change of [{ expected: ['17'] }, { found: 'none' }, { include_descendants: 1 }]) {
      expect((await send(aSweep(change))).body?.error).to.include({ type: 'bad_request', status: 400 });
    }
  });

  it('has up to 10,000 members in each list, and a body of at most 1 MiB', async () => {
    const sweep = theLargestSweep();
    const answer = await send(sweep);
    expect(answer.status, answer.text).to.equal(201);
    expect(await stored(sweep.sweep_id)).to.deep.include({
      ...{ expected: 10_000, found: 10_000, moved_here: 10_000, missing: 10_000, unknown: 10_000 },
    });
    expect(await assetsOf(sweep.sweep_id)).to.have.lengthOf(40_000);
    const long = aSweep({ unknown: Array.from({ length: 10_000 }, (_, at) => `${at}`.padStart(200, 'x')) });
    expect((await send(long)).status).to.equal(413);
  });

  it('keeps nobody waiting, however many large ones come at once', async () => {
    const site = await Site.create(database, 'Third');
    await site.asset('OTHER', 'E2AA');
    await gateway.site.asset('OWN', 'E2BB');
    const { token } = await createHandheld(databaseOn(database.pool), TEST_ACTOR, {
      orgId: site.orgId,
      name: 'gun',
    });
    const client = await database.pool.connect();
    let sweeps: Promise<Answer>[] = [];
    try {
      await client.query('begin');
      await client.query('lock table sweep_assets in exclusive mode');
      const members = Array.from({ length: 2_000 }, (_, at) => at + 1);
      sweeps = Array.from({ length: 6 }, () => send(aSweep({ expected: members })));
      await untilWaitingFor(database, 'sweep_assets');
      expect((await gateway.submit(aSubmission([aScan('E2BB')]))).status).to.equal(201);
      expect((await gateway.submit(aSubmission([aScan('E2AA')]), { token })).status).to.equal(201);
    } finally {
      await client.query('rollback');
      client.release();
    }
    expect(new Set((await Promise.all(sweeps)).map(({ status }) => status))).to.deep.equal(new Set([201]));
  });
});
