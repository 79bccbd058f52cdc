import { expect } from 'chai';
import { tagKey } from '../../../domain/tracking/tag-key.ts';
import { ASSETS } from '../../../services/standalone/demo/assets.ts';
import { antennaAt, LOCATIONS, READERS, STOPS } from '../../../services/standalone/demo/site.ts';

describe('the simulated site', () => {
  it('has an antenna wherever assets stop, and only there', () => {
    const watched = READERS.flatMap(({ antennas }) => antennas.filter((location) => location !== null));
    expect(watched.toSorted()).to.deep.equal(STOPS.map(({ key }) => key).sort());
    for (const { key } of STOPS) {
      const { reader, port } = antennaAt(key);
      expect(reader.antennas[port - 1]).to.equal(key);
    }
  });

  it('has locations in three levels, parents before children', () => {
    const depths = new Map<string | null, number>([[null, 0]]);
    for (const { key, parent } of LOCATIONS) {
      const depth = depths.get(parent);
      if (depth === undefined) {
        throw new Error(`${key} comes before ${parent}`);
      }
      depths.set(key, depth + 1);
    }
    expect(Math.max(...depths.values())).to.equal(3);
  });

  it('has assets with a tag each, some known to its reader only by the key', () => {
    const keys = ASSETS.map(({ epc }) => tagKey('rfid', epc));
    expect(new Set(keys).size).to.equal(ASSETS.length);
    expect(ASSETS.map(({ registeredTag }) => tagKey('rfid', registeredTag))).to.deep.equal(keys);
    const spelledOtherwise = ASSETS.filter(({ epc, registeredTag }) => epc !== registeredTag);
    expect(spelledOtherwise.length).to.be.greaterThan(10);
    expect(ASSETS.every(({ epc }) => /^[0-9A-F]{24}$/.test(epc))).to.equal(true);
  });
});
