import { expect } from 'chai';
import type { ListedAsset } from '../../../clients/handheld-app/src/gateway/answers.ts';
import type { KnownAsset } from '../../../clients/handheld-app/src/storage/known-asset.ts';
import type { StoredScan } from '../../../clients/handheld-app/src/storage/scan.ts';
import { sweepOutcome } from '../../../clients/handheld-app/src/sweep/outcome.ts';
import { placed, result, scan } from './scans.ts';

const asset = (id: number) => ({ id, external_key: `A-${id}`, name: `Asset ${id}` });
const listed = (id: number): ListedAsset => ({
  ...asset(id),
  tags: [{ tag_type: 'rfid', value: `E280${id}` }],
});
/** What the device knows: the scan's number is its asset's, and all are at place 1 but those from 50 on. */
const all = ({ seq }: StoredScan): KnownAsset => ({ asset: asset(seq), place: placed(seq < 50 ? 1 : 2) });
const nothing = () => null;

function ids(outcome: ReturnType<typeof sweepOutcome>) {
  return {
    found: outcome.found.map((line) => line.asset.id),
    movedHere: outcome.movedHere.map((line) => line.asset.id),
    missing: outcome.missing.map(({ id }) => id),
    unknown: outcome.unknown.map(({ value, why }) => `${value} ${why}`),
  };
}

describe('what a sweep comes to', () => {
  const here = placed(1);
  const expected = [listed(1), listed(2), listed(3)];

  it('before anything was scanned, everything is missing', () => {
    expect(ids(sweepOutcome({ place: here, expected }, [], nothing))).to.deep.equal({
      found: [],
      movedHere: [],
      missing: [1, 2, 3],
      unknown: [],
    });
  });

  it('goes by the gateway’s word', () => {
    const scans = [
      scan(1, { result: result('seen', { asset: asset(1) }) }),
      scan(2, { result: result('moved', { asset: asset(9), from: placed(4) }) }),
      scan(3, { result: result('unknown') }),
      scan(4, { result: result('ambiguous') }),
      scan(5, { result: result('location', { location: placed(1) }) }),
      scan(6, { result: result('too_late', { asset: asset(2) }) }),
    ];
    const outcome = sweepOutcome({ place: here, expected }, scans, nothing);
    expect(ids(outcome)).to.deep.equal({
      found: [1],
      movedHere: [9],
      missing: [2, 3],
      unknown: ['E2803 unknown', 'E2804 ambiguous', 'E2806 unrecorded'],
    });
    expect(outcome.movedHere[0]).to.include({ from: 'Place 4', isPending: false });
  });

  it('goes by what the device knows until the gateway has answered', () => {
    const outcome = sweepOutcome({ place: here, expected }, [scan(1), scan(50)], all);
    expect(ids(outcome)).to.deep.equal({ found: [1], movedHere: [50], missing: [2, 3], unknown: [] });
    expect(outcome.found[0]).to.include({ isPending: true });
    expect(outcome.movedHere[0]).to.include({ from: 'Place 2', isPending: true });
    expect(ids(sweepOutcome({ place: here, expected }, [scan(1)], nothing)).unknown).to.deep.equal([
      'E2801 pending',
    ]);
  });

  it('counts an asset once, however often and by however many tags it is scanned', () => {
    const scans = [
      scan(1, { result: result('moved', { asset: asset(9), from: placed(4) }) }),
      scan(2, { result: result('seen', { asset: asset(9) }) }),
      scan(3, { value: 'X', result: result('unknown') }),
      scan(4, { value: 'X', result: result('unknown') }),
    ];
    const outcome = sweepOutcome({ place: here, expected }, scans, nothing);
    expect(ids(outcome)).to.deep.equal({
      found: [],
      movedHere: [9],
      missing: [1, 2, 3],
      unknown: ['X unknown'],
    });
    expect(outcome.movedHere[0]?.from).to.equal('Place 4');
  });

  it('takes a tag for known as soon as one of its scans is', () => {
    const scans = [
      scan(1, { value: 'X', result: result('unknown') }),
      scan(2, { value: 'X', result: result('seen', { asset: asset(1) }) }),
    ];
    expect(ids(sweepOutcome({ place: here, expected }, scans, nothing))).to.deep.include({
      found: [1],
      unknown: [],
    });
  });

  it('says of a refused scan that it was not recorded, whatever the device knows', () => {
    const outcome = sweepOutcome({ place: here, expected }, [scan(1, { state: 'refused' })], all);
    expect(ids(outcome)).to.deep.include({ missing: [1, 2, 3], unknown: ['E2801 unrecorded'] });
  });

  describe('of what was scanned and is recorded elsewhere, perhaps', () => {
    const answered = (
      seq: number,
      status: string,
      at: number,
      given: { asset?: number; from?: number } = {},
    ) =>
      scan(seq, {
        result: result(status, {
          location: placed(at),
          asset: given.asset === undefined ? null : asset(given.asset),
          from: given.from === undefined ? null : placed(given.from),
        }),
      });

    it('neither found, nor moved here, nor missing is what the gateway recorded at another place', () => {
      const scans = [
        answered(1, 'seen', 1, { asset: 1 }),
        answered(2, 'location', 7),
        answered(3, 'moved', 7, { asset: 2, from: 1 }),
        answered(4, 'moved', 7, { asset: 9, from: 4 }),
        answered(5, 'duplicate', 7, { asset: 10 }),
      ];
      const outcome = sweepOutcome({ place: here, expected }, scans, nothing);
      expect(ids(outcome)).to.deep.equal({ found: [1], movedHere: [], missing: [3], unknown: [] });
      expect(outcome.toCheck).to.deep.equal([
        { what: placed(7), why: 'place', at: 'Place 7' },
        { what: asset(2), why: 'recorded', at: 'Place 7' },
        { what: asset(9), why: 'recorded', at: 'Place 7' },
        { what: asset(10), why: 'recorded', at: 'Place 7' },
      ]);
    });

    it('not moved here is what was not expected and was only seen', () => {
      const outcome = sweepOutcome(
        { place: here, expected },
        [answered(1, 'seen', 1, { asset: 9 })],
        nothing,
      );
      expect(ids(outcome)).to.deep.include({ found: [], movedHere: [] });
      expect(outcome.toCheck).to.deep.equal([{ what: asset(9), why: 'seen', at: 'Place 1' }]);
    });

    it('is where the gateway says, if that was asked', () => {
      const scans = [1, 2, 3].map((seq) => answered(seq, 'seen', 1, { asset: seq + 8 }));
      const whereabouts = new Map([
        [9, here],
        [10, placed(4)],
        [11, null],
      ]);
      const outcome = sweepOutcome({ place: here, expected, whereabouts }, scans, nothing);
      expect(ids(outcome).movedHere).to.deep.equal([9]);
      expect(outcome.toCheck).to.deep.equal([
        { what: asset(10), why: 'recorded', at: 'Place 4' },
        { what: asset(11), why: 'seen', at: 'Place 1' },
      ]);
      const again = [...scans, answered(4, 'moved', 1, { asset: 10, from: 4 })];
      const after = sweepOutcome({ place: here, expected, whereabouts }, again, nothing);
      expect(ids(after).movedHere).to.deep.equal([9, 10]);
    });

    it('is found, or moved here, as soon as it is scanned again and moved', () => {
      const scans = [
        answered(1, 'moved', 7, { asset: 2, from: 1 }),
        answered(2, 'seen', 1, { asset: 9 }),
        answered(3, 'moved', 1, { asset: 2, from: 7 }),
        answered(4, 'moved', 1, { asset: 9, from: 4 }),
        answered(5, 'seen', 1, { asset: 9 }),
      ];
      const outcome = sweepOutcome({ place: here, expected }, scans, nothing);
      expect(ids(outcome)).to.deep.include({ found: [2], movedHere: [9] });
      expect(outcome.toCheck).to.deep.equal([]);
    });

    it('is here by what the device knows, when it was scanned again and that is not answered yet', () => {
      const scans = [scan(1, { result: result('moved', { location: placed(7), asset: asset(2) }) }), scan(2)];
      const outcome = sweepOutcome({ place: here, expected }, scans, all);
      expect(outcome.found).to.deep.equal([{ asset: asset(2), from: null, isPending: true }]);
      expect(outcome.toCheck).to.deep.equal([]);
    });

    it('was last recorded elsewhere, though it was moved here before', () => {
      const scans = [
        answered(1, 'moved', 1, { asset: 9, from: 4 }),
        answered(2, 'moved', 7, { asset: 9, from: 1 }),
      ];
      const outcome = sweepOutcome({ place: here, expected }, scans, nothing);
      expect(outcome.movedHere).to.deep.equal([]);
      expect(outcome.toCheck).to.deep.equal([{ what: asset(9), why: 'recorded', at: 'Place 7' }]);
    });
  });
});
