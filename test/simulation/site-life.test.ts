import { expect } from 'chai';
import { MICROS_PER_SECOND } from '../../base/instant.ts';
import { makePopulation, type Role } from '../../simulation/population.ts';
import { createRandom } from '../../simulation/random.ts';
import { shiftAt } from '../../simulation/shifts.ts';
import { stopsOf } from '../../simulation/site.ts';
import { SiteLife } from '../../simulation/site-life.ts';
import { Whereabouts } from '../../simulation/truth/whereabouts.ts';
import { makeWarehouse } from '../../simulation/warehouse.ts';
import { micros } from '../support/mapping.ts';

describe('the life of a simulated site', () => {
  const START = micros('2026-05-01T09:00:00Z');
  const MINUTE = 60 * MICROS_PER_SECOND;
  const ASSETS = makePopulation(200, 'SIM-');
  const site = (readers: number) =>
    makeWarehouse({ readers, formats: ['csl-cs463', 'minew-json'], prefix: 'SIM-', topicRoot: 's' });

  /** Who came where, minute by minute. */
  function arrivals(minutes: number, { seed = 1, readers = 6, start = START } = {}) {
    const life = new SiteLife(ASSETS, stopsOf(site(readers)), start, createRandom(seed));
    return Array.from({ length: minutes }, (_, minute) => {
      const until = start + (minute + 1) * MINUTE;
      const came = life.advance(until);
      return came.flatMap((asset) => {
        const state = life.stateOf(asset);
        const location = state?.kind === 'staying' ? state.location : null;
        return [{ asset, minute, location, since: state?.kind === 'staying' ? state.since : null }];
      });
    });
  }

  it('is the same for the same seed, and another for another', () => {
    const told = (seed: number) =>
      arrivals(30, { seed })
        .flat()
        .map(({ asset, location }) => `${asset.key} ${location?.key}`);
    expect(told(1)).to.deep.equal(told(1));
    expect(told(1)).to.not.deep.equal(told(2));
  });

  it('has people and forklifts move more often than pallets and cages, and nothing in repair', () => {
    const all = arrivals(120).flat();
    const each = (role: Role) =>
      all.filter(({ asset }) => asset.role === role).length /
      ASSETS.filter((asset) => asset.role === role && (role !== 'person' || asset.shift === 0)).length;
    expect(each('forklift')).to.be.greaterThan(3 * each('pallet'));
    expect(each('person')).to.be.greaterThan(3 * each('cage'));
    expect(each('cage')).to.be.greaterThan(0);
    expect(each('in repair')).to.equal(0);
  });

  it('unloads lorries: many pallets at one door within two minutes', () => {
    const docked = arrivals(120).map((minute) =>
      minute.filter(({ asset, location }) => asset.role === 'pallet' && location?.stage === 'receiving'),
    );
    expect(Math.max(...docked.map(({ length }) => length))).to.be.at.least(6);
    // Quiet between two lorries.
    expect(docked.filter(({ length }) => length <= 1).length).to.be.greaterThan(20);
  });

  it('has forklifts carry pallets: both come to a location at the same instant', () => {
    const carried = arrivals(60)
      .flat()
      .filter(({ asset }) => asset.role === 'forklift')
      .filter(
        ({ location, since }, _, forklifts) => forklifts.length > 0 && location !== null && since !== null,
      );
    const pallets = new Set(
      arrivals(60)
        .flat()
        .filter(({ asset }) => asset.role === 'pallet')
        .map(({ location, since }) => `${location?.key} ${since}`),
    );
    const together = carried.filter(({ location, since }) => pallets.has(`${location?.key} ${since}`));
    expect(together.length).to.be.greaterThan(10);
  });

  it('has people there in their shift only', () => {
    for (const start of [START, START + 8 * 60 * MINUTE, START + 16 * 60 * MINUTE]) {
      const people = arrivals(60, { start })
        .flat()
        .filter(({ asset }) => asset.role === 'person');
      expect(people.length).to.be.greaterThan(5);
      expect(new Set(people.map(({ asset }) => asset.shift))).to.deep.equal(new Set([shiftAt(start)]));
    }
  });

  it('goes on at a site with one location, where assets come and go', () => {
    const stops = stopsOf(
      makeWarehouse({ readers: 1, formats: ['minew-json'], prefix: 'SIM-', topicRoot: 's' }),
    );
    expect(stops).to.have.length(1);
    const life = new SiteLife(ASSETS, stops, START, createRandom(1));
    expect(life.advance(START + 60 * MINUTE).length).to.be.greaterThan(20);
  });

  it('has nights in which nothing moves, and thefts of what stays, of which nobody is told', () => {
    const [from, to] = [START + 20 * MINUTE, START + 40 * MINUTE];
    const whereabouts = new Whereabouts();
    const life = new SiteLife(ASSETS, stopsOf(site(6)), START, createRandom(1), {
      ...{ night: { from, to }, thefts: [START + 5 * MINUTE, START + 6 * MINUTE], whereabouts },
      isSafe: ({ key }) => key.includes('AISLE'),
    });
    const moved = Array.from(
      { length: 60 },
      (_, minute) => life.advance(START + (minute + 1) * MINUTE).length,
    );
    expect(moved.slice(20, 39)).to.deep.equal(Array.from({ length: 19 }, () => 0));
    expect(moved[10]).to.be.greaterThan(0);
    expect(moved[50]).to.be.greaterThan(0);
    const taken = ASSETS.filter(({ key }) => whereabouts.takenAt(key) !== null);
    expect(taken.map(({ key }) => whereabouts.takenAt(key))).to.have.members([
      START + 5 * MINUTE,
      START + 6 * MINUTE,
    ]);
    for (const asset of taken) {
      expect(whereabouts.staysOf(asset.key).at(-1)).to.deep.include({
        until: whereabouts.takenAt(asset.key),
      });
      expect(whereabouts.staysOf(asset.key).at(-1)?.location).to.include('AISLE');
      expect(life.stateOf(asset)).to.deep.equal({ kind: 'away', until: Number.POSITIVE_INFINITY });
    }
  });

  it('goes on for days', () => {
    expect(arrivals(3 * 24 * 60).flat().length).to.be.greaterThan(50_000);
  });
});
