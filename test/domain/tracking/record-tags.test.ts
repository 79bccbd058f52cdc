import { expect } from 'chai';
import type { Outcome } from '../../../domain/tracking/scan.ts';
import type { TagType } from '../../../domain/tracking/tag-type.ts';
import { useDatabase } from '../../support/database.ts';
import { aRead, record, storedHistory } from '../../support/recording.ts';
import { Site } from '../../support/site.ts';

const START = Date.UTC(2026, 4, 1, 10) * 1_000;
const IBEACON = 'E2C56DB5DFFB48D2B060D0F5A71096E0';

describe('which tag a scan is of', () => {
  const database = useDatabase();
  let site: Site;
  let locations = 0;
  let locationId: number;
  let readerId: number;
  let reads = 0;

  /** Every test has an organization of its own, so that no tag of another test can match. */
  beforeEach(async () => {
    site = await Site.create(database);
    locationId = await site.location('hall');
    readerId = await site.reader(`reader-${++locations}`, [locationId]);
  });

  async function read(value: string, tagType: TagType = 'rfid'): Promise<Outcome | undefined> {
    const at = START + ++reads;
    const [outcome] = await record(database, [
      aRead({ orgId: site.orgId, readerId, locationId, value, tagType, at }),
    ]);
    return outcome;
  }

  async function expectAsset(assetId: number, value: string, tagType: TagType = 'rfid') {
    expect(await read(value, tagType), value).to.deep.include({ status: 'recorded', assetId });
  }

  async function expectStatus(status: Outcome['status'], value: string, tagType: TagType = 'rfid') {
    expect(await read(value, tagType), value).to.have.property('status', status);
  }

  /** Its tags are detached with it. */
  async function softDelete(assetId: number) {
    await database.rows('update assets set deleted_at = now() where id = $1', [assetId]);
    await database.rows('update tags set detached_at = now() where asset_id = $1', [assetId]);
  }

  it('is the one with exactly its value, before any with its key only', async () => {
    const lower = await site.asset('lower', 'e28011');
    const upper = await site.asset('upper', 'E28011');
    const padded = await site.asset('padded', '00E28011');
    await expectAsset(lower, 'e28011');
    await expectAsset(upper, 'E28011');
    await expectAsset(padded, '00E28011');
  });

  const sameKey: [string, TagType, string, string[]][] = [
    ['an EPC', 'rfid', '0E28011ab', ['E28011AB', 'e2:80:11:ab', 'e2-80 11-AB', '000e28011ab']],
    ['a MAC', 'ble', 'C3:00:00:25:00:01', ['c30000250001', 'C3-00-00-25-00-01']],
    ['an Eddystone UID', 'ble', '00112233445566778899aabbccddeeff', ['00112233-4455-6677-8899-AABBCCDDEEFF']],
    [
      'an iBeacon',
      'ble',
      'e2c56db5-dffb-48d2-b060-d0f5a71096e0:1:23',
      [`${IBEACON}:1:23`, `${IBEACON.toLowerCase()}:1:23`],
    ],
  ];
  for (const [what, tagType, value, spellings] of sameKey) {
    it(`is the one with its key, for ${what} in another spelling`, async () => {
      const assetId = await site.asset('crate', value, tagType);
      for (const spelling of [value, ...spellings]) {
        await expectAsset(assetId, spelling, tagType);
      }
    });
  }

  it('is the one that GS1 names, of either kind and in any notation', async () => {
    const assetId = await site.asset('pallet', '3074257BF7194E4000001A85');
    const notations: [string, TagType][] = [
      ['30:74:25:7b:f7:19:4e:40:00:00:1a:85', 'rfid'],
      ['3034257BF7194E4000001A85', 'rfid'],
      ['urn:epc:id:sgtin:0614141.812345.6789', 'rfid'],
      ['urn:epc:id:sgtin:0614141.812345.6789', 'barcode'],
      ['https://id.gs1.org/01/80614141123458/21/6789', 'rfid'],
      ['(01)80614141123458(21)6789', 'barcode'],
      [']d2018061414112345810L1\u001d216789', 'barcode'],
      ['https://example.com/01/80614141123458/21/6789', 'barcode'],
    ];
    for (const [value, tagType] of notations) {
      await expectAsset(assetId, value, tagType);
    }
    await expectStatus('unknown', '(01)80614141123458', 'barcode');
    await expectStatus('unknown', '3074257BF7194E4000001A86');
    const other = await site.asset('other', 'https://example.com/01/80614141123458/21/6789', 'barcode');
    await expectStatus('ambiguous', '(01)80614141123458(21)6789', 'barcode');
    await expectAsset(other, 'https://example.com/01/80614141123458/21/6789', 'barcode');
    await expectAsset(assetId, '3074257BF7194E4000001A85');
  });

  it('is the one of a GS1 label, with its separators or without, however it was attached', async () => {
    const code = '018061414112345810L1\u001d216789';
    const plain = await site.asset('plain', code.replace('\u001d', ''), 'barcode');
    await expectAsset(plain, code, 'barcode');
    const other = '018061414112345810L1\u001d216790';
    const asScanned = await site.asset('scanned', other, 'barcode');
    for (const value of [other, other.replace('\u001d', ''), `]C1${other}`, '(01)80614141123458(21)6790']) {
      await expectAsset(asScanned, value, 'barcode');
    }
    await expectAsset(asScanned, 'urn:epc:id:sgtin:0614141.812345.6790');
    await expectStatus('unknown', '(01)80614141123458(21)6789', 'barcode');
  });

  const otherKey: [string, TagType, string, string[]][] = [
    ['an EPC', 'rfid', 'E28011AB', ['E28011AB0', 'E28011A']],
    ['a MAC with other zeros', 'ble', '000000250001', ['250001', '00:00:25:00:01']],
    [
      'an iBeacon with other numbers',
      'ble',
      `${IBEACON}:1:23`,
      [`${IBEACON}:12:3`, `${IBEACON}:1:2`, IBEACON],
    ],
    ['a barcode in other letters', 'barcode', '00ab-1', ['00AB-1', '0ab-1', '00ab1']],
    ['an RFID value that is no hex', 'rfid', 'pallet-1', ['PALLET-1', 'pallet1']],
  ];
  for (const [what, tagType, value, others] of otherKey) {
    it(`is none for ${what}`, async () => {
      const assetId = await site.asset('crate', value, tagType);
      for (const other of others) {
        await expectStatus('unknown', other, tagType);
      }
      await expectAsset(assetId, value, tagType);
    });
  }

  it('is never picked by chance: several with its key and none with its value are ambiguous', async () => {
    const one = await site.asset('one', 'e28011');
    const other = await site.asset('other', 'E28011');
    for (const spelling of ['E2-80-11', 'e2:80:11', '0E28011', 'E2 80 11']) {
      await expectStatus('ambiguous', spelling);
    }
    expect(await storedHistory(database, one)).to.deep.equal([]);
    expect(await storedHistory(database, other)).to.deep.equal([]);
  });

  it('is that of the only asset that has it, in however many spellings', async () => {
    const asset = await site.asset('crate', 'e28011');
    await site.tag({ assetId: asset }, 'E2 80 11');
    const beacon = await site.asset('lift', 'C3:00:00:25:00:01', 'ble');
    await site.tag({ assetId: beacon }, 'c30000250001', 'ble');
    for (const spelling of ['E28011', 'e2:80:11', 'e28011', 'E2 80 11']) {
      await expectAsset(asset, spelling);
    }
    await expectAsset(beacon, 'C3-00-00-25-00-01', 'ble');
  });

  it('is ambiguous beyond ten spellings, which are not all looked at', async () => {
    const assetId = await site.asset('crate', 'E28011');
    for (let zeros = 1; zeros < 10; zeros++) {
      await site.tag({ assetId }, '0'.repeat(zeros).concat('E28011'));
    }
    await expectAsset(assetId, 'E2 80 11');
    await site.tag({ assetId }, 'e2-80-11');
    await expectStatus('ambiguous', 'E2 80 11');
    await expectAsset(assetId, 'e2-80-11');
  });

  it('is ambiguous between an asset with two spellings and a location or another asset with a third', async () => {
    const asset = await site.asset('crate', 'e28011');
    await site.tag({ assetId: asset }, 'E2 80 11');
    await site.tag({ locationId }, 'E2-80-11');
    await expectStatus('ambiguous', 'E28011');
    await expectAsset(asset, 'E2 80 11');
    await site.asset('one', 'AB01');
    const other = await site.asset('other', 'ab:01');
    await site.tag({ assetId: other }, 'ab-01');
    await expectStatus('ambiguous', 'ab 01');
  });

  it('is that of the only location that has it, in however many spellings', async () => {
    await site.tag({ locationId }, 'e2d1');
    await site.tag({ locationId }, 'E2 D1');
    expect(await read('E2-D1')).to.deep.include({ status: 'unknown', tagLocationId: locationId });
  });

  it('is the one that is left when its rival is detached', async () => {
    await site.asset('one', 'e28011');
    const other = await site.asset('other', 'E28011');
    await expectStatus('ambiguous', 'E2-80-11');
    await database.rows(`update tags set detached_at = now() where org_id = $1 and value = 'e28011'`, [
      site.orgId,
    ]);
    await expectAsset(other, 'E2-80-11');
    await expectAsset(other, 'e28011');
  });

  it('is not ambiguous for the sake of a soft-deleted asset', async () => {
    const gone = await site.asset('gone', 'e28011');
    const live = await site.asset('live', 'E28011');
    await softDelete(gone);
    await expectAsset(live, 'E2-80-11');
    await expectAsset(live, 'e28011');
  });

  it('is unknown once it is detached, and known again once it is attached', async () => {
    const first = await site.asset('first', 'E28011');
    const second = await site.asset('second');
    await expectAsset(first, 'E28011');
    await database.rows('update tags set detached_at = now() where org_id = $1', [site.orgId]);
    await expectStatus('unknown', 'E28011');
    await expectStatus('unknown', 'e2-80-11');
    await site.tag({ assetId: second }, 'E28011');
    await expectAsset(second, 'E28011');
    expect(await storedHistory(database, first)).to.have.length(1);
  });

  it('is unknown when its asset is soft-deleted', async () => {
    const assetId = await site.asset('gone', 'E28011');
    await softDelete(assetId);
    await expectStatus('unknown', 'E28011');
    await expectStatus('unknown', 'e2-80-11');
    expect(await storedHistory(database, assetId)).to.deep.equal([]);
  });

  it("is no asset's when it is attached to a location, which the outcome names", async () => {
    await site.tag({ locationId }, 'E28011');
    for (const spelling of ['E28011', 'e2-80-11']) {
      expect(await read(spelling)).to.deep.include({ status: 'unknown', tagLocationId: locationId });
    }
    expect(await database.rows('select * from positions where org_id = $1', [site.orgId])).to.deep.equal([]);
  });

  it('is never one of another organization', async () => {
    const other = await Site.create(database, 'Globex');
    const theirs = await other.asset('crate', 'E28011');
    await expectStatus('unknown', 'E28011');
    const ours = await site.asset('crate', 'e28011');
    await expectAsset(ours, 'E28011');
    expect(await storedHistory(database, theirs)).to.deep.equal([]);
  });

  it('is one of its own type only', async () => {
    const value = 'C30000250001';
    const byRfid = await site.asset('rfid', value, 'rfid');
    await expectStatus('unknown', value, 'ble');
    const byBle = await site.asset('ble', value, 'ble');
    await expectStatus('unknown', value, 'barcode');
    const byBarcode = await site.asset('barcode', value, 'barcode');
    await expectAsset(byRfid, value, 'rfid');
    await expectAsset(byBle, value, 'ble');
    await expectAsset(byBarcode, value, 'barcode');
    const types = ['barcode', 'rfid', 'ble'] as const;
    const outcomes = await record(
      database,
      types.map((tagType) => aRead({ orgId: site.orgId, readerId, locationId, value, tagType, at: START })),
    );
    expect(outcomes.map((outcome) => 'assetId' in outcome && outcome.assetId)).to.deep.equal([
      byBarcode,
      byRfid,
      byBle,
    ]);
  });

  it('is any of the several tags of an asset, of any type', async () => {
    const assetId = await site.asset('crate', 'E28011');
    await site.tag({ assetId }, 'E28012');
    await site.tag({ assetId }, '4006381333931', 'barcode');
    await expectAsset(assetId, 'E28011');
    await expectAsset(assetId, 'e2-80-12');
    await expectAsset(assetId, '4006381333931', 'barcode');
  });

  const verbatim = [
    'O\'Reilly "x" \\',
    '{a,b}',
    'NULL',
    '__proto__',
    'hasOwnProperty',
    'größe 📦',
    'tab\there',
  ];
  for (const value of verbatim) {
    it(`takes a value for what it is: ${JSON.stringify(value)}`, async () => {
      await expectStatus('unknown', value, 'barcode');
      const assetId = await site.asset('crate', value, 'barcode');
      await expectAsset(assetId, value, 'barcode');
    });
  }

  it('is resolved for each scan of a batch by itself', async () => {
    const one = await site.asset('one', 'e28011');
    const other = await site.asset('other', 'E28011');
    const values = ['E2-8011', 'E28011', 'nobody', 'e28011', 'E2-8011', 'E28011'];
    const outcomes = await record(
      database,
      values.map((value, index) =>
        aRead({ orgId: site.orgId, readerId, locationId, value, at: START + index }),
      ),
    );
    expect(
      outcomes.map((outcome) => [outcome.status, 'assetId' in outcome && outcome.assetId]),
    ).to.deep.equal([
      ['ambiguous', false],
      ['recorded', other],
      ['unknown', false],
      ['recorded', one],
      ['ambiguous', false],
      ['recorded', other],
    ]);
  });

  it('is resolved for each of more scans than a statement asks for', async () => {
    const asset = await site.asset('last', 'E28011');
    const values = Array.from({ length: 2_050 }, (_, index) => (index === 2_045 ? 'E28011' : `E2${index}`));
    const outcomes = await record(
      database,
      values.map((value, index) =>
        aRead({ orgId: site.orgId, readerId, locationId, value, at: START + index }),
      ),
    );
    const [found, ...others] = outcomes.flatMap((outcome, index) =>
      outcome.status === 'unknown' ? [] : [{ outcome, index }],
    );
    expect(found).to.deep.nested.include({ index: 2_045, 'outcome.assetId': asset });
    expect(others).to.deep.equal([]);
  });
});
