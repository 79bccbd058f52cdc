import { expect } from 'chai';
import { openAnswers } from '../../services/console/serving/open-answers.ts';

describe('exports of reports that are under way', () => {
  const { signal } = new AbortController();

  it('are two of an organization, and leave others a place', async () => {
    const { reportExports } = openAnswers();
    const refusal = (orgId: number) =>
      reportExports.enter(orgId, signal).catch(({ message }: Error) => message);
    await Promise.all([reportExports.enter(1, signal), reportExports.enter(1, signal)]);
    expect(await refusal(1)).to.contain('As many exports as can run at once');
    await Promise.all([reportExports.enter(2, signal), reportExports.enter(3, signal)]);
    expect(reportExports.count).to.equal(4);
  });

  it('are cut for another organization: the slowest of the one with most', async () => {
    const { reportExports } = openAnswers();
    const [slow, fast] = [await reportExports.enter(1, signal), await reportExports.enter(1, signal)];
    const others = [await reportExports.enter(2, signal), await reportExports.enter(3, signal)];
    fast.done = 1_000;
    others[0]?.asked.addEventListener('abort', () => expect.fail('cut though it has but one'));
    slow.asked.addEventListener('abort', () => slow.leave());
    const place = await reportExports.enter(4, signal);
    expect([slow, fast, ...others].map(({ asked }) => asked.aborted)).to.deep.equal([
      ...[true, false, false, false],
    ]);
    place.leave();
    expect(reportExports.count).to.equal(3);
  });
});
