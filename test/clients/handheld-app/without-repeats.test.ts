import { expect } from 'chai';
import { withoutRepeats } from '../../../clients/handheld-app/src/queue/without-repeats.ts';
import { placed, result, scan } from './scans.ts';

const kept = (scans: Parameters<typeof withoutRepeats>[0]) => withoutRepeats(scans).map(({ seq }) => seq);

describe('what a device keeps of the scans of a sweep', () => {
  const here = placed(1);

  it('is the last one of each tag and answer', () => {
    const answers = ['moved', 'seen', 'seen', 'seen'].map((status) => result(status, { location: here }));
    const scans = answers.flatMap((answer, index) => [
      scan(index * 2, { value: 'A', result: answer }),
      scan(index * 2 + 1, { value: 'B', result: answer }),
    ]);
    expect(kept(scans)).to.deep.equal([0, 1, 6, 7]);
  });

  it('tells answers for other places, from other places and of other states apart', () => {
    const given = { value: 'A' };
    const scans = [
      scan(1, { ...given, result: result('moved', { location: here, from: placed(2) }) }),
      scan(2, { ...given, result: result('moved', { location: placed(3), from: here }) }),
      scan(3, { ...given, result: result('moved', { location: here, from: placed(3) }) }),
      scan(4, {
        ...given,
        tag_type: 'barcode',
        result: result('moved', { location: here, from: placed(3) }),
      }),
      scan(5, { ...given, state: 'refused' }),
      scan(6, given),
    ];
    expect(kept(scans)).to.deep.equal([1, 2, 3, 4, 5, 6]);
  });
});
