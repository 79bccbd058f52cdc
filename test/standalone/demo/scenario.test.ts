import { expect } from 'chai';
import { truthOf } from '../../../services/standalone/demo/once.ts';
import { figuresOf } from '../../../services/standalone/demo/plan-figures.ts';
import { makeScenario } from '../../../services/standalone/demo/scenario.ts';
import { micros } from '../../support/mapping.ts';

describe('the scenario of a seed', () => {
  const END = micros('2026-05-01T12:00:00.123Z');
  const START = micros('2026-05-01T10:00:00.123Z');
  const scenario = makeScenario(1, END);
  const sent = scenario.plan.filter((step) => step.kind === 'sends');

  it('is the same for the same seed and end, to the last byte of the last message', () => {
    expect(makeScenario(1, END)).to.deep.equal(scenario);
  });

  it('is another one for another seed', () => {
    const payloads = (seed: number) =>
      makeScenario(seed, END).plan.map((step) => (step.kind === 'sends' ? step.message.payload : step.kind));
    expect(payloads(2)).to.not.deep.equal(payloads(1));
  });

  it('reads nothing outside of its two hours, and an asset at one location at a time', () => {
    for (const { visits } of scenario.itineraries) {
      let left = START;
      for (const visit of visits) {
        const times = [left, visit.enteredAt, ...visit.reads.map(({ at }) => at), visit.leftAt, END];
        expect(times).to.deep.equal(times.toSorted((a, b) => a - b));
        left = visit.leftAt;
      }
    }
  });

  it('has every read of the itineraries in a message', () => {
    const read = scenario.itineraries.flatMap(({ asset, visits }) =>
      visits.flatMap(({ reads }) => reads.map(({ at }) => `${asset} ${at}`)),
    );
    const delivered = new Set(
      sent.flatMap(({ message }) => message.reads.map(({ asset, at }) => `${asset} ${at}`)),
    );
    expect(read.filter((each) => !delivered.has(each))).to.deep.equal([]);
    expect(read).to.have.length(figuresOf(scenario.plan).reads);
  });

  for (const seed of [0, 1, 2, 4_294_967_295]) {
    it(`has every fault in it: seed ${seed}`, () => {
      const { itineraries, plan } = makeScenario(seed, END);
      const figures = figuresOf(plan);
      for (const [name, number] of Object.entries(figures)) {
        expect(number, name).to.be.greaterThan(0);
      }
      expect(figures.reads).to.be.greaterThan(800);
      expect(plan.some((step) => step.kind === 'sends' && step.isDup)).to.equal(true);
      expect(plan.some((step) => step.kind === 'sends' && step.isRepeat && !step.isDup)).to.equal(true);
      const rows = itineraries.flatMap((itinerary) => truthOf(itinerary).history);
      expect(rows.length).to.be.greaterThan(150);
    });
  }

  it('has a reader that sends nothing while it is offline', () => {
    const away = scenario.plan.findIndex(({ kind }) => kind === 'leaves');
    const back = scenario.plan.findIndex(({ kind }) => kind === 'returns');
    const reader = scenario.plan[away]?.reader;
    expect(away).to.be.within(1, back);
    expect(scenario.plan.slice(away + 1, back).filter((step) => step.reader === reader)).to.deep.equal([]);
  });
});
