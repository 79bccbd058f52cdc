import { expect } from 'chai';
import fc from 'fast-check';
import { PacketGuard } from '../../../services/mqtt-ingest/source/packet-guard.ts';

describe('the packet guard', () => {
  const packet = (length: number) =>
    Buffer.concat([Buffer.from([0x30]), lengthOf(length), Buffer.alloc(length, 0xff)]);

  it('lets packets through up to the bound, however the bytes are cut', () => {
    const lengths = fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(lengths, fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }), (all, cuts) => {
        const bytes = Buffer.concat(all.map(packet));
        const guard = new PacketGuard(300);
        for (let at = 0, cut = 0; at < bytes.length; cut++) {
          const end = at + (cuts[cut % cuts.length] ?? 1);
          expect(guard.feed(bytes.subarray(at, end))).to.equal(null);
          at = end;
        }
      }),
    );
  });

  it('tells the size of one beyond the bound as soon as it is announced', () => {
    const guard = new PacketGuard(300);
    expect(guard.feed(packet(300))).to.equal(null);
    expect(guard.feed(Buffer.from([0x30]))).to.equal(null);
    expect(guard.feed(lengthOf(301))).to.equal(301);
    expect(new PacketGuard(1_000_000).feed(Buffer.from([0x30, 0xff, 0xff, 0xff]))).to.equal(2_097_151);
  });

  it('has a lower bound for what carries no message, and counts many filters as several packets', () => {
    const guard = new PacketGuard(1_000_000);
    const beginning = (type: number, length: number) =>
      Buffer.concat([Buffer.from([type]), lengthOf(length)]);
    for (const type of [0x82, 0xa2, 0x40, 0x62, 0xc0]) {
      expect(new PacketGuard(1_000_000).feed(beginning(type, 65_537)), `${type}`).to.equal(65_537);
    }
    expect(new PacketGuard(1_000_000).feed(beginning(0x10, 65_537))).to.equal(null);
    guard.feed(Buffer.concat([beginning(0x82, 65_536), Buffer.alloc(65_536)]));
    expect(guard.packets).to.equal(1_025);
    guard.feed(Buffer.concat([beginning(0xa2, 10), Buffer.alloc(10), Buffer.from([0xc0, 0])]));
    expect(guard.packets).to.equal(1_027);
  });
});

/** MQTT's remaining length: seven bits a byte, the lowest first. */
function lengthOf(length: number): Buffer {
  const bytes: number[] = [];
  for (let rest = length; ; rest >>= 7) {
    bytes.push((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    if (rest <= 0x7f) {
      return Buffer.from(bytes);
    }
  }
}
