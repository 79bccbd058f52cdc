import { expect } from 'chai';
import { commandLineOn } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { countersOf, openIntake, type TestIntake } from '../support/intake.ts';
import { Site } from '../support/site.ts';

describe('the command line of unknown tags', () => {
  const database = useDatabase();
  const { tagtrail, json, fails } = commandLineOn(() => database);
  let site: Site;
  let intake: TestIntake;
  let reader: number;
  let org: string;

  before(async () => {
    site = await Site.create(database);
    org = String(site.orgId);
    reader = await site.reader('portal', [await site.location('DOCK')]);
    intake = await openIntake(database);
    await site.asset('PALLET-1', 'AB01');
    await site.asset('PALLET-2', 'ab:01');
    await site.asset('PALLET-3');
  });
  beforeEach(() => database.empty('unknown_tags, received_messages, reader_counters'));

  const read = (value: string, more = {}) => intake.receive('portal', JSON.stringify({ value, ...more }));
  const list = () => json('unknown-tags', 'list', '--org', org);
  const attach = (value: string, asset: string, type = 'rfid') => [
    'unknown-tags',
    'attach',
    '--org',
    org,
    '--type',
    type,
    '--value',
    value,
    '--asset',
    asset,
  ];

  it('lists what was read and belongs to nothing, the last seen first', async () => {
    await read('BEEF');
    await read('FEED', { rssi: -60 });
    await read('FEED', { rssi: -54.5 });
    const [feed, beef, ...others] = await list();
    expect(others).to.deep.equal([]);
    expect(beef).to.include({ value: 'BEEF', count: 1 });
    expect(feed).to.deep.equal({
      tag_type: 'rfid',
      value: 'FEED',
      count: 2,
      first_seen: feed.first_seen,
      last_seen: feed.last_seen,
      reader_id: reader,
      antenna: 1,
      rssi: -54.5,
      location_external_key: 'DOCK',
      ambiguous: false,
    });
    expect(feed.last_seen).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect((await tagtrail('unknown-tags', 'list', '--org', org)).stdout)
      .to.include('FEED')
      .and.include('DOCK');
  });

  it('attaches one to an asset, whose its next read is, and takes it off the list', async () => {
    await read('C0FFEE');
    const tag = await json(...attach('C0FFEE', 'PALLET-3'));
    expect(tag).to.deep.equal({
      id: tag.id,
      tag_type: 'rfid',
      value: 'C0FFEE',
      asset_external_key: 'PALLET-3',
    });
    expect(await list()).to.deep.equal([]);
    expect(await database.rows('select from unknown_tags')).to.deep.equal([]);
    await read('c0ffee');
    expect(await countersOf(database, reader)).to.include({ unknown: 1, recorded: 1 });
    await fails(1, 'No unknown tag rfid:C0FFEE', ...attach('C0FFEE', 'PALLET-3'));
  });

  it('does not list what was attached by other means since', async () => {
    await read('0DDBA11');
    const assetId = await site.asset('PALLET-4', '0DDBA11');
    expect(await list()).to.deep.equal([]);
    await database.rows('update tags set detached_at = now() where asset_id = $1', [assetId]);
    expect(await list()).to.have.lengthOf(1);
  });

  it('explains an ambiguous one, and attaches it by the very value that was read', async () => {
    await read('ab-01');
    expect(await list()).to.deep.include.members([{ ...(await list())[0], value: 'ab-01', ambiguous: true }]);
    const { stdout } = await tagtrail('unknown-tags', 'list', '--org', org);
    expect(stdout).to.include('ambiguous: may be AB01 of PALLET-1 or ab:01 of PALLET-2');
    await fails(1, 'it was read as ab-01', ...attach('AB-01', 'PALLET-3'));
    const attached = await tagtrail(...attach('ab-01', 'PALLET-3'));
    expect(attached.stdout).to.include('differs in spelling only from AB01 of PALLET-1');
    await read('ab-01');
    expect(await countersOf(database, reader)).to.include({ unknown: 1, recorded: 1 });
  });

  it('does not list one that an asset has in two other spellings', async () => {
    await read('AB-0-2');
    const assetId = await site.asset('PALLET-5', 'AB02');
    await site.tag({ assetId }, 'ab:02');
    expect(await list()).to.deep.equal([]);
  });

  it("never shows or attaches another organization's", async () => {
    const other = await Site.create(database, 'Other');
    await other.asset('THEIRS');
    await read('FACE');
    expect(await json('unknown-tags', 'list', '--org', String(other.orgId))).to.deep.equal([]);
    await fails(1, 'Asset THEIRS not found', ...attach('FACE', 'THEIRS'));
    expect(await list()).to.have.lengthOf(1);
  });

  it('says what is not there', async () => {
    await read('FADE');
    await fails(1, 'Asset NONE not found', ...attach('FADE', 'NONE'));
    await fails(1, 'No unknown tag ble:FADE', ...attach('FADE', 'PALLET-3', 'ble'));
    await fails(1, 'Organization 999 not found', 'unknown-tags', 'list', '--org', '999');
  });

  it('refuses wrong usage', async () => {
    await fails(2, 'rfid, ble, barcode', ...attach('FADE', 'PALLET-3', 'nfc'));
    await fails(2, '255 characters', ...attach('A'.repeat(256), 'PALLET-3'));
    await fails(2, '--org', 'unknown-tags', 'list');
  });

  it('lists an ignored tag only when asked, counts its reads as before, and lists it again', async () => {
    const ignore = (value: string, ...more: string[]) =>
      json('unknown-tags', 'ignore', '--org', org, '--type', 'rfid', '--value', value, ...more);
    const ignored = () => json('unknown-tags', 'list', '--org', org, '--ignored');
    const counts = (rows: { value: string; count: number }[]) =>
      rows.map(({ value, count }) => [value, count]).sort();
    await read('BEEF');
    await read('FEED');
    expect(await ignore('00beef')).to.deep.equal({ tag_type: 'rfid', value: 'BEEF', ignored: true });
    expect([counts(await list()), counts(await ignored())]).to.deep.equal([[['FEED', 1]], [['BEEF', 1]]]);
    await read('BEEF', { rssi: -50 });
    expect([counts(await list()), counts(await ignored())]).to.deep.equal([[['FEED', 1]], [['BEEF', 2]]]);
    expect(await countersOf(database, reader)).to.include({ unknown: 3 });
    await ignore('BEEF', '--undo');
    expect(counts(await list())).to.deep.equal([
      ['BEEF', 2],
      ['FEED', 1],
    ]);
    await fails(
      1,
      'No unknown tag rfid:CAFE',
      ...['unknown-tags', 'ignore', '--org', org, '--type', 'rfid', '--value', 'CAFE'],
    );
  });
});
