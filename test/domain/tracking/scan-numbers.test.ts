import { expect } from 'chai';
import fc from 'fast-check';
import { ScanNumbers } from '../../../domain/tracking/drop-repeats.ts';
import type { LocatedScan } from '../../../domain/tracking/located-scan.ts';
import { scanKey } from '../../../domain/tracking/located-scan.ts';
import type { Scan } from '../../../domain/tracking/scan.ts';
import { aRead } from '../../support/recording.ts';

const few = fc.nat({ max: 2 });
const aLocatedScan = fc
  .record({
    orgId: few,
    readerId: few,
    antenna: few,
    at: few,
    tag: few,
    tagType: fc.constantFrom('rfid' as const, 'ble' as const),
    isByHand: fc.boolean(),
  })
  .map(({ tag, isByHand, ...read }): LocatedScan => {
    const scan: Scan = aRead({ ...read, value: `tag-${tag}`, locationId: 1 });
    const byHand = {
      kind: 'handheld',
      handheldId: 1,
      submissionId: `walk-${read.readerId}`,
      index: read.antenna,
    } as const;
    return {
      orgId: read.orgId,
      assetId: tag,
      scan: isByHand ? { ...scan, source: byHand } : scan,
      tagValue: scan.value,
      locationId: 1,
      observedAt: read.at,
      timeIsReceived: false,
    };
  });

describe('numbers of scans', () => {
  it('are the same for copies of a scan and in the order of the first ones, whatever else is there', () => {
    fc.assert(
      fc.property(fc.array(aLocatedScan, { maxLength: 30 }), (scans) => {
        const numbers = new ScanNumbers();
        const keys = [...new Set(scans.map(scanKey))];
        expect(scans.map((scan) => numbers.numberOf(scan))).to.deep.equal(
          scans.map((scan) => keys.indexOf(scanKey(scan))),
        );
      }),
      { numRuns: 500 },
    );
  });
});
