import { expect } from 'chai';
import { topicsOverlap } from '../../domain/administration/readers/topic.ts';
import { tagKey } from '../../domain/tracking/tag-key.ts';
import { ENCODERS, type EncoderName } from '../../simulation/encoders/encoders.ts';
import { assignTroubles, FAULTS } from '../../simulation/faults.ts';
import { makePopulation } from '../../simulation/population.ts';
import { antennaAt, stopsOf } from '../../simulation/site.ts';
import { makeWarehouse } from '../../simulation/warehouse.ts';

const FORMATS = Object.keys(ENCODERS) as EncoderName[];

describe('a simulated warehouse', () => {
  const make = (readers: number, formats: readonly EncoderName[] = FORMATS) =>
    makeWarehouse({ readers, formats, prefix: 'SIM-', topicRoot: 'simulation/1/SIM-' });

  it('has an antenna for every location, whatever its size, and parents before children', () => {
    for (const readers of [1, 2, 5, 40]) {
      const site = make(readers);
      for (const { key } of stopsOf(site)) {
        expect(antennaAt(site, key).port).to.be.within(1, 2);
      }
      const keys = site.locations.map(({ key }) => key);
      expect(new Set(keys).size).to.equal(keys.length);
      for (const { key, parent } of site.locations) {
        expect(keys.slice(0, keys.indexOf(key))).to.include.members(parent === null ? [] : [parent]);
      }
    }
  });

  it('has readers whose topics do not overlap', () => {
    const filters = make(40).readers.map(({ topic, format }) => ENCODERS[format].topicFilter(topic));
    filters.forEach((filter, index) => {
      expect(filters.slice(index + 1).filter((other) => topicsOverlap(filter, other))).to.deep.equal([]);
    });
  });

  it('has one antenna that hangs nowhere, if a reader can tell antennas apart', () => {
    const loose = (formats: EncoderName[]) =>
      make(4, formats).readers.flatMap(({ antennas }) => antennas.filter((location) => location === null));
    expect(loose(['csl-cs463'])).to.deep.equal([null]);
    expect(loose(['minew-json'])).to.deep.equal([]);
  });

  it('has room for every trouble, each with a reader of its own', () => {
    const { readers } = make(6);
    const plan = { faults: new Set(FAULTS), duration: 60_000_000, isRealTime: true };
    const troubled = [...assignTroubles(readers, plan).values()].filter(
      ({ clockOffset, outage, deathAt }) => clockOffset !== 0 || outage !== null || deathAt !== null,
    );
    expect(troubled).to.have.length(4);
    expect(troubled.filter(({ clockOffset }) => clockOffset > 0)).to.have.length(1);
    expect(troubled.filter(({ clockOffset }) => clockOffset < 0)).to.have.length(1);
  });
});

describe('the assets of a simulated site', () => {
  it('have keys and tags of their own, for every prefix others', () => {
    const all = [...makePopulation(1_000, 'SIM-'), ...makePopulation(1_000, 'TEST-')];
    expect(new Set(all.map(({ key }) => key)).size).to.equal(2_000);
    for (const tagType of ['rfid', 'ble'] as const) {
      expect(new Set(all.map(({ tags }) => tagKey(tagType, tags[tagType]))).size).to.equal(2_000);
    }
  });

  it('have tags that readers spell as nobody registered them', () => {
    const all = makePopulation(30, 'SIM-');
    for (const tagType of ['rfid', 'ble'] as const) {
      expect(
        all.filter(({ tags, registeredTags }) => tags[tagType] !== registeredTags[tagType]),
      ).to.have.length(10);
      for (const { tags, registeredTags } of all) {
        expect(tagKey(tagType, registeredTags[tagType])).to.equal(tagKey(tagType, tags[tagType]));
      }
    }
  });
});
