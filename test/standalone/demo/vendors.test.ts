import { expect } from 'chai';
import type { TagRead } from '../../../services/standalone/demo/vendors/vendor.ts';
import { VENDORS } from '../../../services/standalone/demo/vendors/vendors.ts';
import { builtin, map, micros, outcomesOf, readsOf } from '../../mqtt-ingest/mapping/mapping.ts';

const READS: readonly TagRead[] = [
  { epc: '3034257BF468D480000003E9', port: 1, rssi: -54, at: micros('2026-05-01T10:00:00.123456Z') },
  { epc: '000000000000000000C0DE01', port: 2, rssi: -71.5, at: micros('2026-05-01T10:00:00.000001Z') },
  { epc: 'E28011606000020A6681F23E', port: 4, rssi: -41, at: micros('2026-05-01T23:59:59.999999Z') },
];

for (const [name, vendor] of Object.entries(VENDORS)) {
  describe(`a simulated reader of the make ${name}`, () => {
    const format = builtin(name);
    const reads = READS.map((read) => ({ ...read, at: read.at - (read.at % vendor.clockTick) }));
    const shown = ({ epc, port, rssi, at }: TagRead) => ({ value: epc, antenna: port, rssi, deviceTime: at });

    for (const sequence of [0, 1, 2, 3]) {
      it(`writes what its format reads, in its message ${sequence}`, () => {
        for (const group of [reads, ...reads.map((read) => [read])]) {
          const payload = vendor.encode('docks', group, sequence);
          expect(
            readsOf(map(format, payload)).map(({ value, antenna, rssi, deviceTime, tagType }) => {
              expect(tagType).to.equal('rfid');
              return { value, antenna, rssi, deviceTime };
            }),
          ).to.deep.equal(group.map(shown));
        }
      });
    }

    it('has heartbeats that hold no reads', () => {
      const mapped = map(format, vendor.heartbeat('docks', micros('2026-05-01T10:00:00.5Z'), 7));
      expect(mapped.outcome).to.not.equal('rejected');
      const outcomes = mapped.outcome === 'items' ? outcomesOf(mapped) : [];
      expect(outcomes.filter((outcome) => !outcome.startsWith('ignored'))).to.deep.equal([]);
    });
  });
}
