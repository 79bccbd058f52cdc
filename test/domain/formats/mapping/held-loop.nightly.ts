import { expect } from 'chai';
import { mapMessage } from '../../../../domain/formats/mapping/run.ts';
import { MAX_PAYLOAD_BYTES } from '../../../../domain/formats/mapping/values/limits.ts';
import { loadTargets } from '../../../support/fuzz-targets.ts';
import { timeOf, Yardstick } from '../../../support/held-loop.ts';
import { largePayloads } from '../../../support/large-payloads.ts';

/** A payload that takes 40 ms to parse on a machine on which no other reader may wait for more than 100. */
const YARDSTICK = new Yardstick(
  `{${Array.from({ length: 110_000 }, (_, at) => `"${at.toString(36)}":1`).join(',')}}`,
);
const MOST = 3;

describe('reading a message of a mebibyte', () => {
  for (const { format, seeds } of loadTargets()) {
    it(`as ${format.name} takes no longer than parsing a bad one, whatever it holds`, async () => {
      const [seed] = seeds;
      const long: number[] = [];
      for (const [kind, payload] of largePayloads(
        seed?.payload ?? Buffer.of(),
        MAX_PAYLOAD_BYTES - 64,
      ).entries()) {
        const message = { topic: seed?.topic ?? 'a', payload };
        const read = (attempts: number) => timeOf(() => mapMessage(format, message), attempts);
        if (await YARDSTICK.isExceededBy(read, MOST)) {
          long.push(kind);
        }
      }
      expect(long).to.deep.equal([]);
    });
  }
});
