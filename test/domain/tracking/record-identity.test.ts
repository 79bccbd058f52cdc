import { expect } from 'chai';
import type { Sighting } from '../../../domain/tracking/history/history.ts';
import type { Scan } from '../../../domain/tracking/scan.ts';
import { useDatabase } from '../../support/database.ts';
import { aRead, record, storedHistory, storedPosition } from '../../support/recording.ts';
import { historyByDefinition } from '../../support/sightings.ts';
import { Site } from '../../support/site.ts';

const AT = Date.UTC(2026, 4, 1, 10) * 1_000;
const LATER = AT + 60_000_000;

describe('the identity of a scan', () => {
  const database = useDatabase();
  let site: Site;
  let A: number;
  let B: number;
  let dock: number;
  let gate: number;
  let handheldId: number;
  let value = 'none yet';
  let assetId: number;
  let assets = 0;

  before(async () => {
    site = await Site.create(database);
    A = await site.location('A');
    B = await site.location('B');
    dock = await site.reader('dock', [A, A]);
    gate = await site.reader('gate', [B]);
    handheldId = await aHandheld('one');
  });
  beforeEach(aNewAsset);

  async function aNewAsset(): Promise<void> {
    value = `E280AA${++assets}`;
    assetId = await site.asset(value, value);
  }

  async function aHandheld(name: string): Promise<number> {
    const [row] = await database.rows<{ id: number }>(
      'insert into handhelds (org_id, name, token_sha256) values ($1, $2, sha256($3)) returning id',
      [site.orgId, name, Buffer.from(name)],
    );
    return row?.id ?? 0;
  }

  const atDock = (read: Partial<Parameters<typeof aRead>[0]> = {}): Scan =>
    aRead({ orgId: site.orgId, readerId: dock, value, locationId: A, at: AT, ...read });
  const atGate = (read: Partial<Parameters<typeof aRead>[0]> = {}): Scan =>
    atDock({ readerId: gate, locationId: B, ...read });
  const byHand = (submissionId: string, index: number, read: Partial<Scan> = {}): Scan => ({
    ...atDock(),
    ...read,
    source: { kind: 'handheld', handheldId, submissionId, index },
  });

  const statuses = async (...scans: Scan[]) =>
    (await record(database, scans)).map(({ status }) => status).toSorted();

  const rssiStored = async (asset = assetId) => {
    const rows = await database.rows<{ rssi: number | null }>(
      'select rssi from scan_events where asset_id = $1 order by observed_at, reader_id, antenna',
      [asset],
    );
    return rows.map(({ rssi }) => rssi);
  };

  async function expectHistoryToFollowFromStoredScans(asset = assetId): Promise<void> {
    const sightings = await database.rows<Sighting>(
      `select micros_of_time(observed_at) as "observedAt", location_id as "locationId", rssi
       from scan_events where asset_id = $1`,
      [asset],
    );
    const expected = historyByDefinition(sightings);
    const last = expected.at(-1);
    expect(await storedHistory(database, asset)).to.deep.equal(expected);
    const position = await storedPosition(database, asset);
    expect([position?.locationId, position?.since]).to.deep.equal([last?.locationId, last?.observedAt]);
  }

  const locationsOf = async (asset = assetId) =>
    (await storedHistory(database, asset)).map(({ locationId }) => (locationId === A ? 'A' : 'B'));

  describe('of a fixed reader', () => {
    it('is reader, antenna, tag and time: the same read counts once', async () => {
      expect(await statuses(atDock(), atDock())).to.deep.equal(['duplicate', 'recorded']);
      expect(await statuses(atDock())).to.deep.equal(['duplicate']);
      await record(database, [atDock({ at: LATER })]);
      expect(await statuses(atDock(), atDock({ at: LATER }))).to.deep.equal(['duplicate', 'duplicate']);
      expect(await rssiStored()).to.deep.equal([null, null]);
    });

    it('holds for a tag spelled in another way', async () => {
      const other = { value: value.toLowerCase() };
      expect(await statuses(atDock(), atDock(other))).to.deep.equal(['duplicate', 'recorded']);
      expect(await statuses(atDock({ value: `00-${value}` }))).to.deep.equal(['duplicate']);
      expect(await rssiStored()).to.have.length(1);
    });

    it('holds when it is received again later', async () => {
      expect(await statuses(atDock())).to.deep.equal(['recorded']);
      expect(await statuses(atDock({ receivedAt: LATER }))).to.deep.equal(['duplicate']);
      const rows = await database.rows<{ first: boolean }>(
        'select received_at = observed_at as first from scan_events where asset_id = $1',
        [assetId],
      );
      expect(rows).to.deep.equal([{ first: true }]);
    });

    const others: [string, () => Scan][] = [
      ['at another antenna', () => atDock({ antenna: 2 })],
      ['by another reader', () => atGate()],
      ['of another tag of the asset', () => atDock({ value: `${value}FF` })],
      ['of another type of tag with the value', () => atDock({ tagType: 'barcode' })],
      ['a microsecond later', () => atDock({ at: AT + 1 })],
      ['a microsecond earlier', () => atDock({ at: AT - 1 })],
    ];
    for (const [what, other] of others) {
      it(`is another one ${what}, in one batch and across batches`, async () => {
        for (const isOneBatch of [true, false]) {
          await aNewAsset();
          await site.tag({ assetId }, `${value}FF`);
          await site.tag({ assetId }, value, 'barcode');
          const scans = [atDock({ rssi: -70 }), { ...other(), rssi: -70 }];
          const batches = isOneBatch ? [scans] : scans.map((scan) => [scan]);
          for (const batch of batches) {
            expect(await statuses(...batch)).to.deep.equal(batch.map(() => 'recorded'));
          }
          expect(await statuses(...scans)).to.deep.equal(['duplicate', 'duplicate']);
          await record(database, [{ ...other(), rssi: -60 }]);
          expect((await rssiStored()).toSorted()).to.deep.equal([-60, -70]);
          await expectHistoryToFollowFromStoredScans();
        }
      });
    }

    it('holds for a copy from another location, which changes nothing', async () => {
      const moved = atDock({ locationId: B, rssi: -50 });
      expect(await statuses(atDock({ rssi: -70 }), moved)).to.deep.equal(['duplicate', 'recorded']);
      expect(await statuses(moved)).to.deep.equal(['duplicate']);
      expect(await rssiStored()).to.deep.equal([-70]);
      expect(await locationsOf()).to.deep.equal(['A']);
      await expectHistoryToFollowFromStoredScans();
    });

    it('is that of the reception where the device has no time', async () => {
      const untimed = { ...atDock(), deviceTime: null };
      expect(await statuses(untimed, untimed)).to.deep.equal(['duplicate', 'recorded']);
      expect(await statuses(untimed, { ...untimed, receivedAt: LATER })).to.deep.equal([
        'duplicate',
        'recorded',
      ]);
    });
  });

  describe('where copies differ in RSSI only', () => {
    const copies: [string, (number | null)[], number | null][] = [
      ['the stronger one', [-70, -60.5], -60.5],
      ['the stronger one of many', [-70, null, -55, -60, -55], -55],
      ['any RSSI rather than none', [null, -99], -99],
      ['none where none has it', [null, null], null],
    ];
    for (const [what, rssis, strongest] of copies) {
      it(`keeps ${what}, in one batch and across batches, whichever comes first`, async () => {
        for (const order of [rssis, rssis.toReversed()]) {
          for (const isOneBatch of [true, false]) {
            await aNewAsset();
            const scans = order.map((rssi) => atDock({ rssi }));
            const batches = isOneBatch ? [scans] : scans.map((scan) => [scan]);
            const outcomes = [];
            for (const batch of batches) {
              outcomes.push(...(await statuses(...batch)));
            }
            expect(outcomes.filter((status) => status === 'recorded')).to.have.length(1);
            expect(outcomes.filter((status) => status === 'duplicate')).to.have.length(scans.length - 1);
            expect(await rssiStored()).to.deep.equal([strongest]);
          }
        }
      });
    }

    it('strengthens each of several scans of one batch', async () => {
      await record(database, [atDock({ rssi: -70 }), atDock({ rssi: -70, at: LATER })]);
      await record(database, [atDock({ rssi: -50, at: LATER }), atDock({ rssi: -60 })]);
      expect(await rssiStored()).to.deep.equal([-60, -50]);
    });

    it('lets the history follow the stronger one', async () => {
      await record(database, [atDock({ rssi: -70 }), atGate({ rssi: -65 })]);
      expect(await locationsOf()).to.deep.equal(['B']);
      expect(await statuses(atDock({ rssi: -60 }))).to.deep.equal(['duplicate']);
      expect(await locationsOf()).to.deep.equal(['A']);
      expect(await statuses(atGate({ rssi: -60 }))).to.deep.equal(['duplicate']);
      expect(await locationsOf()).to.deep.equal([A < B ? 'A' : 'B']);
      expect(await statuses(atGate({ rssi: -59 }))).to.deep.equal(['duplicate']);
      expect(await locationsOf()).to.deep.equal(['B']);
      await expectHistoryToFollowFromStoredScans();
    });

    it('lets the history follow in the midst of it', async () => {
      await record(database, [
        atDock({ at: AT - 60_000_000 }),
        atDock({ rssi: -60 }),
        atGate({ rssi: -65 }),
        atDock({ at: LATER }),
      ]);
      expect(await locationsOf()).to.deep.equal(['A']);
      await record(database, [atGate({ rssi: -55 })]);
      expect(await locationsOf()).to.deep.equal(['A', 'B', 'A']);
      await expectHistoryToFollowFromStoredScans();
    });

    it('is not weakened again by a weaker copy', async () => {
      await record(database, [atDock({ rssi: -50 }), atGate({ rssi: -60 })]);
      expect(await statuses(atDock({ rssi: -70 }), atDock())).to.deep.equal(['duplicate', 'duplicate']);
      expect(await locationsOf()).to.deep.equal(['A']);
      expect(await rssiStored()).to.deep.equal([-50, -60]);
    });
  });

  describe('of a handheld', () => {
    it('is submission and index: a redelivery leaves no second trace', async () => {
      const submission = [byHand('s1', 0), byHand('s1', 1), byHand('s2', 0)];
      expect(await statuses(...submission)).to.deep.equal(['recorded', 'recorded', 'recorded']);
      expect(await statuses(...submission)).to.deep.equal(['duplicate', 'duplicate', 'duplicate']);
      expect(await statuses(byHand('s3', 0), byHand('s3', 0))).to.deep.equal(['duplicate', 'recorded']);
      expect(await statuses(byHand('s3', 1), byHand('s1', 2))).to.deep.equal(['recorded', 'recorded']);
      expect(await rssiStored()).to.have.length(6);
    });

    it('leaves a stronger copy of a fixed read in the same batch its effect', async () => {
      await record(database, [byHand('s8', 0), atDock({ rssi: -70 }), atGate({ rssi: -65 })]);
      const copies = [{ ...byHand('s8', 0), rssi: -40 }, atDock({ rssi: -60 })];
      expect(await statuses(...copies)).to.deep.equal(['duplicate', 'duplicate']);
      const rows = await database.rows(
        'select rssi from scan_events where asset_id = $1 and reader_id = $2',
        [assetId, dock],
      );
      expect(rows).to.deep.equal([{ rssi: -60 }]);
    });

    it('is never that of a fixed read', async () => {
      expect(await statuses(atDock(), byHand('s4', 1))).to.deep.equal(['recorded', 'recorded']);
    });

    it('is its own in every organization, in one batch and across batches', async () => {
      const other = await Site.create(database, 'Globex');
      const inOther = { orgId: other.orgId, locationId: await other.location('A') };
      await other.asset('crate', value);
      const both = (submissionId: string) => [byHand(submissionId, 0), byHand(submissionId, 0, inOther)];
      expect(await statuses(...both('s5'))).to.deep.equal(['recorded', 'recorded']);
      const [ours, theirs] = both('s6');
      for (const scan of [ours, theirs]) {
        expect(await statuses(...(scan === undefined ? [] : [scan]))).to.deep.equal(['recorded']);
      }
    });

    it('moves the asset to where the user said', async () => {
      await record(database, [atDock(), byHand('s7', 0, { locationId: B, deviceTime: LATER })]);
      expect(await locationsOf()).to.deep.equal(['A', 'B']);
    });
  });
});
