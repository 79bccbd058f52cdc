import { expect } from 'chai';
import type { Scan } from '../../domain/tracking/scan.ts';
import { commandLineOn } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { STRENGTH, storeSettings } from '../support/location-settings.ts';
import { aRead, record } from '../support/recording.ts';
import { sealAll } from '../support/seal-all.ts';
import { Site } from '../support/site.ts';

const at = (time: string) => Date.parse(`2026-05-04T${time}Z`) * 1_000;
const shown = (time: string) => `2026-05-04T${time}.000Z`;

describe('the command line that says why', () => {
  const database = useDatabase();
  const { tagtrail, json, fails } = commandLineOn(() => database);
  const keys: Record<string, number> = {};
  let site: Site;
  let org: string;
  let assetId: number;
  let readerId: number;
  let handheldId: number;

  const read = (key: string, time: string, more: { rssi?: number; receivedAt?: string } = {}) =>
    aRead({
      ...{
        orgId: site.orgId,
        readerId,
        value: 'E2801160',
        locationId: keys[key] ?? 0,
        antenna: keys[key] ?? 0,
        at: at(time),
      },
      ...{ rssi: more.rssi ?? null, receivedAt: at(more.receivedAt ?? time) },
    });
  const byHand = (scan: Scan): Scan => ({
    ...scan,
    rssi: null,
    source: { kind: 'handheld', handheldId, submissionId: '01JTE8KXP3T0000000000000AA', index: 2 },
  });
  const why = (...args: string[]) => json('why', '--org', org, '--asset', 'FORKLIFT-2', ...args);
  const say = async (...args: string[]) =>
    (await tagtrail('why', '--org', org, '--asset', 'FORKLIFT-2', ...args)).stdout;

  before(async () => {
    site = await Site.create(database);
    org = String(site.orgId);
    for (const key of ['DOCK-1', 'DOCK-2', 'GATE']) {
      keys[key] = await site.location(key);
    }
    assetId = await site.asset('FORKLIFT-2', 'E2801160');
    await site.asset('NEW-1', 'E2');
    readerId = await site.reader('Dock reader', [null]);
    const [handheld] = await database.rows<{ id: number }>(
      `insert into handhelds (org_id, name, token_sha256) values ($1, 'Gun 1', sha256('x')) returning id`,
      [site.orgId],
    );
    handheldId = handheld?.id ?? 0;
    await storeSettings(database, site.orgId, [
      { locationId: keys['DOCK-2'] ?? 0, validFrom: at('06:00:00'), setting: STRENGTH },
    ]);
    for (const scan of [
      read('DOCK-1', '07:00:00', { rssi: -60 }),
      read('DOCK-2', '07:00:10', { rssi: -50 }),
      byHand(read('GATE', '07:30:00', { receivedAt: '07:30:04' })),
      // Late: it was at DOCK-1 in between, and a weaker read of the same instant said otherwise.
      read('DOCK-1', '07:10:00', { rssi: -55, receivedAt: '07:35:00' }),
      read('GATE', '07:10:00', { rssi: -63, receivedAt: '07:35:01' }),
    ]) {
      await record(database, [scan]);
    }
    await sealAll(database.url);
  });

  it('names the scan that decided where an asset is, and the person who made it', async () => {
    const { said_before: before, ...told } = await why();
    expect(before.map((each: { location_external_key: string }) => each.location_external_key)).to.deep.equal(
      ['DOCK-1', 'DOCK-2'],
    );
    expect(told).to.deep.equal({
      asset: { id: assetId, external_key: 'FORKLIFT-2' },
      stay: {
        location_id: keys['GATE'],
        location_external_key: 'GATE',
        from: shown('07:30:00'),
        to: null,
        position: null,
      },
      decided_by: {
        handheld_id: handheldId,
        submission_id: '01JTE8KXP3T0000000000000AA',
        index: 2,
        tag: { tag_type: 'rfid', value: 'E2801160' },
        rssi: null,
        observed_at: shown('07:30:00'),
        received_at: shown('07:30:04'),
      },
      late_seconds: 4,
      rule: 'person',
      ...{ decision: null, is_too_much: false, is_as_recorded: true, latest: null },
      neighbours: [],
    });
    const text = await say();
    expect(text).to.include(`FORKLIFT-2 is at GATE, since ${shown('07:30:00')}.`);
    expect(text).to.include('handheld Gun 1, with which somebody scanned rfid E2801160; received 4 s later');
    expect(text).to.include('It counts because a person made it.');
  });

  it('tells by how much other reads lost, and what was heard where, with the margin needed', async () => {
    const told = await why('--at', shown('07:05:00'));
    expect(told).to.deep.include({ rule: 'strength', late_seconds: 0, latest: null });
    expect(told.stay).to.deep.include({ location_external_key: 'DOCK-2', to: shown('07:10:00') });
    expect(told.decided_by).to.deep.include({
      reader_id: readerId,
      reader: 'Dock reader',
      antenna: keys['DOCK-2'],
    });
    expect(told.neighbours).to.have.lengthOf(1);
    expect(told.neighbours[0]).to.deep.include({
      location_external_key: 'DOCK-1',
      rssi: -60,
      lost_by_db: 10,
      tie_broken_by: null,
    });
    expect(told.decision).to.deep.include({
      ...{ procedure: 'strength', location_external_key: 'DOCK-2', is_decided: true, certainty: 1 },
      ...{ unit: 'dB', shares: null, odds: null, position: null },
    });
    const [here, there] = told.decision.heard;
    expect(here).to.include({ location_external_key: 'DOCK-2', reads: 1, level: -50, needed: null });
    expect(there).to.include({ location_external_key: 'DOCK-1', reads: 1, level: -60, reached: 10 });
    expect(there.needed).to.be.closeTo(3 * Math.sqrt(2), 1e-9);
    const text = await say('--at', shown('07:05:00'));
    expect(text).to.include(', 10.0 dB weaker');
    expect(text).to.include('the asset was heard more strongly at DOCK-2 than anywhere else');
    expect(text).to.include('1 read, level -60.0 dBm, behind by 10.0 dB, 4.2 needed');
  });

  it('shows the counts that the needed margin is computed with', async () => {
    await site.asset('CART', 'CA');
    const cart = (key: string, antenna: number, time: string, rssi: number | null) =>
      aRead({
        ...{ orgId: site.orgId, readerId, value: 'CA', locationId: keys[key] ?? 0 },
        ...{ antenna, at: at(time), rssi },
      });
    const first = [1, 2, 3, 4, 5].map((index) => cart('DOCK-2', 40, `10:00:0${index}`, -70));
    await record(database, [
      ...first,
      ...[cart('DOCK-2', 41, '10:00:03', -50), cart('DOCK-2', 41, '10:00:04', -50)],
      ...[cart('DOCK-2', 41, '10:00:03.250', null), cart('DOCK-1', 42, '10:00:02.500', -65)],
    ]);
    const { decision } = await json('why', '--org', org, '--asset', 'CART', '--at', '2026-05-04T10:00:04Z');
    const [here, there] = decision.heard;
    expect(here).to.include({ antenna: 41, reads: 8, reads_with_rssi: 2, level: -50 });
    expect(there.needed).to.be.closeTo(3 * Math.sqrt(1 / 2 + 1 / 1), 1e-9);
    const { stdout } = await tagtrail('why', '--org', org, '--asset', 'CART', '--at', '2026-05-04T10:00:04Z');
    expect(stdout).to.include('antenna 41, 2 reads, level -50.0 dBm, of 8 reads there\n');
    expect(stdout).to.include('antenna 42, 1 read, level -65.0 dBm, behind by 15.0 dB, 3.7 needed');
    expect(stdout).to.match(/Heard from .*, certainty 1:/);
    // Where one location has no signal at all, counts decide, and are of whole locations.
    await record(database, [cart('GATE', 43, '10:00:02.750', null)]);
    const byCounts = await json('why', '--org', org, '--asset', 'CART', '--at', '2026-05-04T10:00:04Z');
    expect(byCounts.decision.unit).to.equal('reads');
    const said = (await tagtrail('why', '--org', org, '--asset', 'CART', '--at', '2026-05-04T10:00:04Z'))
      .stdout;
    expect(said).to.include('antenna 43, no signal strength, 1 read there, behind by 7.0 reads, 6.0 needed');
    expect(said).to.include('of 8 reads there');
  });

  it('compares other reads with the one that decided, not with a stronger one of its location', async () => {
    await site.asset('BIN', 'BB');
    const bin = (key: string, time: string, rssi: number) => ({ ...read(key, time, { rssi }), value: 'BB' });
    await record(database, [
      ...[bin('DOCK-1', '11:00:00', -40), bin('GATE', '11:00:10', -70), bin('DOCK-2', '11:00:05', -55)],
      ...[bin('DOCK-1', '11:00:20', -60), bin('DOCK-2', '11:00:15', -60), bin('GATE', '11:00:16', -66)],
    ]);
    const ask = ['why', '--org', org, '--asset', 'BIN', '--at', '2026-05-04T11:00:20Z'];
    const told = await json(...ask);
    expect(told.decided_by).to.include({ rssi: -60, observed_at: shown('11:00:20') });
    expect(
      told.neighbours.map((each: { rssi: number; lost_by_db: number }) => [each.rssi, each.lost_by_db]),
    ).to.deep.equal([
      [-66, 6],
      [-55, -5],
    ]);
    await record(database, [bin('GATE', '11:00:30', -55)]);
    const { stdout } = await tagtrail('why', '--org', org, '--asset', 'BIN', '--at', '2026-05-04T11:00:30Z');
    expect(stdout).to.match(/at DOCK-2, .* at -55 dBm, as strong\n/);
    expect(stdout).to.match(/at DOCK-1, .* at -40 dBm, 15\.0 dB stronger/);
  });

  it('says where its last reads put an asset of which one was made where every scan counts', async () => {
    await site.asset('JACK', 'AC');
    const jack = (key: string, time: string, rssi: number) => ({ ...read(key, time, { rssi }), value: 'AC' });
    await record(database, [
      ...[jack('DOCK-1', '12:00:00', -60), jack('GATE', '12:00:10.100', -50)],
      jack('DOCK-2', '12:00:10.110', -70),
    ]);
    const ask = ['why', '--org', org, '--asset', 'JACK', '--at', '2026-05-04T12:00:10.400Z'];
    const told = await json(...ask);
    expect(told.stay.location_external_key).to.equal('GATE');
    await record(database, [jack('GATE', '12:00:11.100', -50), jack('DOCK-2', '12:00:11.110', -70)]);
    const last = ['why', '--org', org, '--asset', 'JACK', '--at', '2026-05-04T12:00:11.400Z'];
    expect((await json(...last)).latest).to.deep.include({
      ...{ at: '2026-05-04T12:00:11.110Z', location_external_key: 'GATE', rule: 'every', lack: null },
    });
    const { stdout } = await tagtrail(...last);
    expect(stdout).to.include(
      'Its last reads, at 2026-05-04T12:00:11.110Z, say GATE, where every scan counts.',
    );
    expect(stdout).not.to.include('do not decide');
  });

  it('says what reads lacked that do not decide, of an asset that is elsewhere and of one without a location', async () => {
    const other = await site.asset('DRUM', 'D1');
    const drum = (key: string, time: string, rssi: number) => ({ ...read(key, time, { rssi }), value: 'D1' });
    await record(database, [drum('DOCK-2', '09:00:00', -60), drum('DOCK-1', '08:59:59', -61)]);
    // Reads at DOCK-1 need no proof.
    expect(await json('why', '--org', org, '--asset', 'DRUM')).to.deep.include({ rule: 'every' });
    const { latest } = await json('why', '--org', org, '--asset', 'DRUM');
    expect(latest).to.deep.include({ at: shown('09:00:00'), location_external_key: null });
    expect(latest.lack).to.deep.include({ unit: 'dB', here: 'DOCK-2', there: 'DOCK-1', reached: 1 });
    expect((await tagtrail('why', '--org', org, '--asset', 'DRUM')).stdout).to.include(
      `Its last reads, at ${shown('09:00:00')}, do not decide where it is: DOCK-2 is 1.0 dB stronger than DOCK-1, 4.2 needed.`,
    );
    await database.rows('delete from location_transitions where asset_id = $1', [other]);
    const undecided = await json('why', '--org', org, '--asset', 'DRUM');
    expect(undecided).to.deep.include({ stay: null, decided_by: null, rule: null, late_seconds: null });
    expect(undecided.latest.lack.reached).to.equal(1);
    expect((await tagtrail('why', '--org', org, '--asset', 'DRUM')).stdout).to.include(
      'DRUM has no location yet',
    );
  });

  it('tells how late a scan came, how a tie was broken, and what was said before', async () => {
    const told = await why('--at', shown('07:15:00'));
    expect(told).to.deep.include({ rule: 'every', late_seconds: 1_500 });
    expect(told.neighbours).to.have.lengthOf(1);
    expect(told.neighbours[0]).to.deep.include({
      location_external_key: 'GATE',
      lost_by_db: 8,
      tie_broken_by: 'strength',
    });
    expect(told.said_before.at(-1)).to.deep.include({ location_external_key: 'DOCK-2' });
    const text = await say('--at', shown('07:15:00'));
    expect(text).to.include('received 1500 s later');
    expect(text).to.include('at the same instant, where the stronger read goes first');
  });

  it('tells what was said before, with the time until which it was', async () => {
    const other = await site.asset('PALLET', 'ABBA');
    const late = (locationId: number, time: string) =>
      aRead({ orgId: site.orgId, readerId, value: 'ABBA', locationId, at: at(time) });
    await record(database, [late(keys['DOCK-1'] ?? 0, '08:00:00')]);
    await record(database, [late(keys['GATE'] ?? 0, '08:10:00')]);
    await sealAll(database.url);
    const events = await database.rows<{ recorded_at: string }>(
      `select to_char(recorded_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as recorded_at
       from moves where asset_id = $1 order by position`,
      [other],
    );
    const { said_before: before } = await json('why', '--org', org, '--asset', 'PALLET');
    expect(before).to.deep.equal([{ location_external_key: 'DOCK-1', until: events[1]?.recorded_at }]);
    const { stdout } = await tagtrail('why', '--org', org, '--asset', 'PALLET');
    expect(stdout).to.include(`until ${events[1]?.recorded_at} we said DOCK-1`);
  });

  it('keeps the deciding scan and its reason when raw scans are gone, and says that the others are', async () => {
    const before = await why('--at', shown('07:05:00'));
    await database.rows('delete from scan_events where asset_id = $1', [assetId]);
    expect(await why('--at', shown('07:05:00'))).to.deep.equal({
      ...before,
      decision: null,
      neighbours: null,
    });
    expect(await say('--at', shown('07:05:00'))).to.include('Other reads of that time are no longer kept');
  });

  it('says that an asset was never seen, or not yet, or that it is not there, or that a time is to come', async () => {
    const ask = ['why', '--org', org, '--asset'];
    await fails(1, 'Asset NEW-1 has never been seen', ...ask, 'NEW-1');
    await fails(1, `first seen at ${shown('07:00:00')}`, ...ask, 'FORKLIFT-2', '--at', shown('06:59:59'));
    await fails(1, 'Asset NOBODY not found', ...ask, 'NOBODY');
    await fails(2, 'at must not be later than now', ...ask, 'FORKLIFT-2', '--at', '2190-01-01T00:00:00Z');
    await fails(2, 'RFC 3339', ...ask, 'FORKLIFT-2', '--at', 'yesterday');
    await fails(1, 'Organization 999 not found', 'why', '--org', '999', '--asset', 'FORKLIFT-2');
  });
});
