import { expect } from 'chai';
import { openAnswers } from '../../services/console/serving/open-answers.ts';

describe('exports of reports that are under way', () => {
  it('leave other organizations a place, also if two have as many as they may', () => {
    const { reportExports } = openAnswers();
    const [first] = [reportExports.enter(1), reportExports.enter(1)];
    reportExports.enter(2);
    expect(() => reportExports.enter(2)).to.throw('As many exports as can run at once');
    reportExports.enter(3);
    expect(() => reportExports.enter(4)).to.throw('As many exports as can run at once');
    first?.();
    reportExports.enter(4);
    expect(reportExports.count).to.equal(4);
  });
});
