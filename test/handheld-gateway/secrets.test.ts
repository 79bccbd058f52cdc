import { expect } from 'chai';
import { useGateway } from '../support/gateway.ts';
import { aScan, aSubmission, statusesOf } from '../support/new-submission.ts';

const SECRET = 'aB3-_'.repeat(8).concat('xyz');
const SPACED = SECRET.replaceAll(/.{4}/g, '$& ');
const HALVES = `${SECRET.slice(0, 25)} ${SECRET.slice(25)}`;
const IN_URL = SECRET.replaceAll('_', '%5F').replaceAll('-', '%2D');
const MASKED = '*'.repeat(SECRET.length);

describe('a token or key in a submission', () => {
  const gateway = useGateway();
  const { database } = gateway;
  before(async () => {
    await gateway.site.location('DOCK-1');
    await gateway.site.asset('PALLET', 'E280AA');
    // The API lets anything be attached; it is no tag that can be scanned all the same.
    await gateway.site.asset('SECRETIVE', `th_99_${SECRET}`, 'barcode');
  });

  for (const [what, value, shown] of [
    ['a handheld’s token', `th_12_${SECRET}`, `th_12_${MASKED}`],
    ['an API key', `tt_01KQSB3M8R0E5T9V2W4X6Y8Z1A_${SECRET}`, `tt_01KQSB3M8R0E5T9V2W4X6Y8Z1A_${MASKED}`],
    ['one in the other case', `TH_12_${SECRET.toUpperCase()}`, `TH_12_${MASKED}`],
    ['one among other text', `Bearer th_12_${SECRET}`, `Bearer th_12_${MASKED}`],
    ['one whose end is missing', `th_12_${SECRET.slice(0, 25)}`, `th_12_${'*'.repeat(25)}`],
    ['one with blanks in it', `th_12_${SPACED}`, '*'.repeat(6 + SPACED.length)],
    ['one with a blank in the middle', `th_12_${HALVES}`, '*'.repeat(6 + HALVES.length)],
    [
      'one in a URL',
      `https://example.com/?t=th%5F12%5F${IN_URL}`,
      `https://example.com/?t=th%5F12%5F${'*'.repeat(IN_URL.length)}`,
    ],
    ['one that is attached', `th_99_${SECRET}`, `th_99_${MASKED}`],
  ] as const) {
    it(`is unusable, neither kept nor shown, and harms no other scan: ${what}`, async () => {
      const scans = [aScan(value, 3, 'barcode'), aScan('E280AA', 2), aScan('STRANGER', 1, 'barcode')];
      const submission = aSubmission(scans, { location: { external_key: 'DOCK-1' } });
      const answer = await gateway.submit(submission);
      expect(answer.status, answer.text).to.equal(201);
      const [first, ...others] = statusesOf(answer);
      expect([first, others[1]]).to.deep.equal(['unusable', 'unknown']);
      expect(others[0]).to.be.oneOf(['moved', 'seen']);
      expect(answer.body?.data.results[0]).to.deep.include({ value: shown, asset: null });
      const { counts } = answer.body?.data ?? {};
      expect(counts).to.include({ unusable: 1, unknown: 1 });
      expect(Object.values<number>(counts).reduce((sum, count) => sum + count)).to.equal(3);
      const kept = (await everything()).replaceAll(' ', '').replaceAll('%5F', '_').replaceAll('%2D', '-');
      for (const part of [SECRET.slice(0, 25), SECRET.slice(25)]) {
        expect(kept.toLowerCase()).not.to.include(part.toLowerCase());
      }
      // Sent again it is the same submission.
      const again = await gateway.submit(submission);
      expect([again.status, again.body?.data]).to.deep.equal([200, answer.body?.data]);
    });
  }

  it('is not said in the answer where it names the place', async () => {
    const location = { tag: { tag_type: 'barcode', value: `th_12_${SECRET}` } };
    const answer = await gateway.submit(aSubmission([aScan('E280AA')], { location }));
    expect(answer.status).to.equal(400);
    expect(answer.text).not.to.include(SECRET);
  });

  async function everything(): Promise<string> {
    const kept = [
      ...(await database.rows('select * from unknown_tags')),
      ...(await database.rows('select answer::text from submissions')),
      ...(await database.rows('select tag_value from scan_events')),
    ];
    expect(kept).to.have.length.above(2);
    return JSON.stringify(kept);
  }
});
