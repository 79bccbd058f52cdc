import { expect } from 'chai';
import { topicMatches } from '../../domain/administration/readers/topic.ts';
import { loadBuiltinFormats } from '../../domain/formats/mapping/builtin.ts';
import { tagKey } from '../../domain/tracking/tag-key.ts';
import type { Device, Encoder, TagRead } from '../../simulation/encoders/encoder.ts';
import { BROKEN_PAYLOAD, ENCODERS } from '../../simulation/encoders/encoders.ts';
import { UNUSABLE_TAG } from '../../simulation/reader-line.ts';
import { builtin, itemsOf, map, micros } from '../support/mapping.ts';

const DEVICE: Device = { name: 'docks', topic: 'site/docks' };
const TIMES = ['2026-05-01T10:00:00.123456Z', '2026-05-01T10:00:00.000001Z', '2026-12-31T23:59:59.999999Z'];
const VALUES = {
  rfid: ['3034257BF468D480000003E9', '000000000000000000C0DE01', 'E28011606000020A6681F23E'],
  ble: ['C30000250001', '0081F9889BF9', 'FFFFFFFFFFFF'],
};
const RSSI = [-54, -71.5, -41];

describe('the simulated readers', () => {
  // Not of those whose antennas have names only, or whose messages are bytes.
  it('are of built-in formats', () => {
    expect([...loadBuiltinFormats().keys()]).to.include.members(Object.keys(ENCODERS));
  });
});

for (const [name, encoder] of Object.entries<Encoder>(ENCODERS)) {
  describe(`a simulated reader of the make ${name}`, () => {
    const format = builtin(name);
    const { tagType, ports, clockTick, maxReadsPerMessage } = encoder;
    const reads = TIMES.map((time, index): TagRead => {
      const at = micros(time);
      return {
        value: VALUES[tagType][index] ?? '',
        port: Math.min(ports, index + 1),
        rssi: RSSI[index] ?? 0,
        at: at - (at % (clockTick ?? 1)),
      };
    });
    const groups = [reads, ...reads.map((read) => [read])].filter(
      ({ length }) => length <= maxReadsPerMessage,
    );
    const shown = ({ value, port, rssi, at }: TagRead) => ({
      tagType,
      value,
      antenna: port,
      rssi,
      deviceTime: clockTick === null ? null : at,
    });
    /** What the format makes of a message, in the simulator's own terms. */
    const understood = (topic: string, payload: string) => {
      const mapped = map(format, payload, topic);
      if (mapped.outcome === 'ignored') {
        return { reads: [], ignored: 1, rejected: 0 };
      }
      const items = itemsOf(mapped);
      return {
        reads: items.flatMap((item) => {
          if (item.outcome !== 'read') {
            return [];
          }
          const { tagType: type, value, antenna, rssi, deviceTime } = item.read;
          return [{ tagType: type, value, antenna: antenna ?? 1, rssi, deviceTime }];
        }),
        ignored: items.filter(({ outcome }) => outcome === 'ignored').length,
        rejected: items.filter(({ outcome }) => outcome === 'rejected').length,
      };
    };

    for (const sequence of [0, 1, 2, 3]) {
      it(`writes what its format reads, in its message ${sequence}`, () => {
        for (const group of groups) {
          const { topic, payload, ignored } = encoder.encode(DEVICE, group, sequence);
          expect(understood(topic, payload)).to.deep.equal({ reads: group.map(shown), ignored, rejected: 0 });
        }
      });
    }

    it('publishes within the topic it is registered with', () => {
      const filter = encoder.topicFilter(DEVICE.topic);
      const [first] = groups.at(-1) ?? [];
      for (const { topic } of [
        encoder.heartbeat(DEVICE, 0, 0),
        ...(first === undefined ? [] : [encoder.encode(DEVICE, [first], 0)]),
      ]) {
        expect(topicMatches(filter, topic), topic).to.equal(true);
      }
    });

    it('has heartbeats that hold no reads', () => {
      const { topic, payload, ignored } = encoder.heartbeat(DEVICE, micros('2026-05-01T10:00:00.5Z'), 7);
      expect(understood(topic, payload)).to.deep.equal({ reads: [], ignored, rejected: 0 });
    });

    it('writes down what is no tag so that its format refuses just that', () => {
      const [read] = reads.slice(0, 1).map((each) => ({ ...each, value: UNUSABLE_TAG }));
      const { topic, payload, ignored } = encoder.encode(DEVICE, read === undefined ? [] : [read], 0);
      const { reads: understoodReads, ...others } = understood(topic, payload);
      // Our own format takes values as they are; that it consists of separators only is found when it is recorded.
      const unusable = understoodReads.filter(({ value }) => tagKey(tagType, value) === '');
      expect(understoodReads).to.deep.equal(unusable);
      expect(others).to.deep.equal({ ignored, rejected: 1 - unusable.length });
    });

    it('breaks off in a way that its format refuses', () => {
      const { topic } = encoder.encode(DEVICE, reads.slice(0, 1), 0);
      expect(map(format, BROKEN_PAYLOAD, topic).outcome).to.equal('rejected');
    });
  });
}
