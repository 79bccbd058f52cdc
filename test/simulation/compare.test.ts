import { expect } from 'chai';
import { compare, pairRows } from '../../simulation/compare.ts';
import type { AssetRecord, HistoryRow } from '../../simulation/truth/asset-record.ts';

describe('comparing what the API says with what is true', () => {
  const DOCK: HistoryRow = { at: '2026-05-01T10:00:00.000Z', location: 'DOCK-1', durationSeconds: null };
  const AISLE: HistoryRow = { at: '2026-05-01T10:10:00.900Z', location: 'AISLE-A', durationSeconds: 600 };
  const PACK: HistoryRow = { at: '2026-05-01T10:20:00.000Z', location: 'PACK-1', durationSeconds: 599 };
  const pallet: AssetRecord = {
    asset: 'PALLET-01',
    current: { location: 'PACK-1', lastSeen: '2026-05-01T10:25:00.000Z' },
    history: [DOCK, AISLE, PACK],
  };
  const lift: AssetRecord = { asset: 'LIFT-01', current: null, history: [] };
  const truth = [pallet, lift];
  /** Compares with an answer that says this of the pallet, and the truth of the lift. */
  const compareWith = (more: Partial<AssetRecord>) => compare(truth, [{ ...pallet, ...more }, lift]);
  const row = (is: string, said: string) => [
    { asset: 'PALLET-01', what: 'history row', truth: is, answer: said },
  ];

  it('finds nothing where all agree, in whatever order the assets come', () => {
    expect(compare(truth, structuredClone(truth))).to.deep.equal([]);
    expect(compare(truth, [lift, pallet])).to.deep.equal([]);
  });

  it('finds a wrong current location', () => {
    expect(
      compareWith({ current: { location: 'DOCK-1', lastSeen: '2026-05-01T10:25:00.000Z' } }),
    ).to.deep.equal([{ asset: 'PALLET-01', what: 'current location', truth: 'PACK-1', answer: 'DOCK-1' }]);
    expect(compareWith({ current: { location: null, lastSeen: '2026-05-01T10:25:00.000Z' } })).to.deep.equal([
      { asset: 'PALLET-01', what: 'current location', truth: 'PACK-1', answer: 'no location' },
    ]);
  });

  it('finds a wrong time of being last seen, to the millisecond', () => {
    expect(
      compareWith({ current: { location: 'PACK-1', lastSeen: '2026-05-01T10:25:00.001Z' } }),
    ).to.deep.equal([
      {
        asset: 'PALLET-01',
        what: 'last seen',
        truth: '2026-05-01T10:25:00.000Z',
        answer: '2026-05-01T10:25:00.001Z',
      },
    ]);
  });

  it('finds a missing row, wherever it is missing', () => {
    expect(compareWith({ history: [AISLE, PACK] })).to.deep.equal(
      row('2026-05-01T10:00:00.000Z DOCK-1 first', 'nothing'),
    );
    expect(compareWith({ history: [DOCK, PACK] })).to.deep.equal(
      row('2026-05-01T10:10:00.900Z AISLE-A after 600 s', 'nothing'),
    );
    expect(compareWith({ history: [DOCK, AISLE] })).to.deep.equal(
      row('2026-05-01T10:20:00.000Z PACK-1 after 599 s', 'nothing'),
    );
    expect(compareWith({ history: [] })).to.have.length(3);
  });

  it('finds a row too many, also one that is there twice', () => {
    const extra: HistoryRow = { at: '2026-05-01T10:30:00.000Z', location: 'GATE-1', durationSeconds: 600 };
    expect(compareWith({ history: [DOCK, AISLE, PACK, extra] })).to.deep.equal(
      row('nothing', '2026-05-01T10:30:00.000Z GATE-1 after 600 s'),
    );
    expect(compareWith({ history: [DOCK, AISLE, AISLE, PACK] })).to.deep.equal(
      row('nothing', '2026-05-01T10:10:00.900Z AISLE-A after 600 s'),
    );
  });

  it('finds rows that are not in the order of time', () => {
    expect(compareWith({ history: [AISLE, DOCK, PACK] })).to.have.length(2);
  });

  it('finds a wrong duration', () => {
    expect(compareWith({ history: [DOCK, { ...AISLE, durationSeconds: 601 }, PACK] })).to.deep.equal(
      row('2026-05-01T10:10:00.900Z AISLE-A after 600 s', '2026-05-01T10:10:00.900Z AISLE-A after 601 s'),
    );
    expect(compareWith({ history: [{ ...DOCK, durationSeconds: 0 }, AISLE, PACK] })).to.deep.equal(
      row('2026-05-01T10:00:00.000Z DOCK-1 first', '2026-05-01T10:00:00.000Z DOCK-1 after 0 s'),
    );
  });

  it('finds a wrong location of a row', () => {
    expect(compareWith({ history: [DOCK, { ...AISLE, location: 'AISLE-B' }, PACK] })).to.deep.equal(
      row('2026-05-01T10:10:00.900Z AISLE-A after 600 s', '2026-05-01T10:10:00.900Z AISLE-B after 600 s'),
    );
  });

  it('finds a wrong time of a row, to the millisecond', () => {
    const answer = compareWith({ history: [DOCK, { ...AISLE, at: '2026-05-01T10:10:00.901Z' }, PACK] });
    expect(answer.map(({ truth: is, answer: said }) => [is, said])).to.deep.equal([
      ['2026-05-01T10:10:00.900Z AISLE-A after 600 s', 'nothing'],
      ['nothing', '2026-05-01T10:10:00.901Z AISLE-A after 600 s'],
    ]);
  });

  it('finds an asset that is missing, and one that does not exist', () => {
    expect(compare(truth, [pallet])).to.deep.equal([
      { asset: 'LIFT-01', what: 'asset', truth: 'there', answer: 'nothing' },
    ]);
    expect(compare(truth, [...truth, { ...lift, asset: 'GHOST' }])).to.deep.equal([
      { asset: 'GHOST', what: 'asset', truth: 'nothing', answer: 'there' },
    ]);
  });

  it('finds an asset that is not reported, and one that is though it was never seen', () => {
    expect(compareWith({ current: null }).map(({ what }) => what)).to.deep.equal([
      'current location',
      'last seen',
    ]);
    const seen = { location: null, lastSeen: '2026-05-01T10:25:00.000Z' };
    expect(compare(truth, [pallet, { ...lift, current: seen }]).map(({ what }) => what)).to.deep.equal([
      'current location',
      'last seen',
    ]);
  });

  it('puts two histories side by side, each row once, in the order of time', () => {
    expect(pairRows([DOCK, PACK], [AISLE, PACK])).to.deep.equal([
      { truth: DOCK, answer: null, agrees: false },
      { truth: null, answer: AISLE, agrees: false },
      { truth: PACK, answer: PACK, agrees: true },
    ]);
  });
});
