import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { decode } from '../../../../domain/formats/mapping/decoding/decode.ts';
import { MAX_PAYLOAD_BYTES } from '../../../../domain/formats/mapping/values/limits.ts';
import { loadTargets } from '../../../support/fuzz-targets.ts';
import { largePayloads } from '../../../support/large-payloads.ts';

describe('a payload of 1 MiB', () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const binary = /-(?:cbor|msgpack|protobuf)$/;

  for (const { format } of loadTargets().filter(({ format }) => binary.test(format.name))) {
    it(`takes at most four times that once decoded, whatever is in it (${format.name})`, () => {
      for (const [index, payload] of largePayloads(
        Buffer.from('[{"v":"00ff"}]'),
        MAX_PAYLOAD_BYTES - 64,
      ).entries()) {
        collect();
        const before = process.memoryUsage().heapUsed;
        const decoded = decode(format.decoders, payload);
        collect();
        const taken = process.memoryUsage().heapUsed - before;
        // A fifth for what the engine keeps besides.
        expect(taken, `payload ${index}`).to.be.below(5 * MAX_PAYLOAD_BYTES);
        expect(decoded).to.be.an('object');
      }
    });
  }
});
