import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { pino } from 'pino';
import { mapMessage, type Policies } from '../../../domain/formats/mapping/run.ts';
import { MAX_PAYLOAD_BYTES } from '../../../domain/formats/mapping/values/limits.ts';
import { WorkThreads } from '../../../platform/runtime/work-threads.ts';
import { LARGE, LargeMessages } from '../../../services/mqtt-ingest/intake/large-messages.ts';
import { loadTargets } from '../../support/fuzz-targets.ts';
import { largePayloads } from '../../support/large-payloads.ts';
import { randomPart } from '../../support/random-sets.ts';

const POLICIES: readonly Partial<Policies>[] = [{}, { time: 'receive', reportUnknown: 'off' }];

describe('large messages', () => {
  const threads = new WorkThreads(pino({ level: 'silent' }));
  const large = new LargeMessages(threads, pino({ level: 'silent' }));
  after(() => threads.close());

  for (const { format, seeds } of loadTargets()) {
    it(`come to the same in a thread and out of it as ${format.name}, good or bad`, async () => {
      const [seed = { topic: 'a', payload: Buffer.of() }] = seeds;
      const cut = (payload: Buffer) => payload.subarray(0, payload.length - 7);
      const payloads = [
        // The largest there can be for each decoding; what a format makes of them does not depend on their size.
        ...(format.name.startsWith('whole-language')
          ? largePayloads(seed.payload, MAX_PAYLOAD_BYTES - 64)
          : []),
        ...largePayloads(seed.payload, 2 * LARGE).flatMap((payload) => [payload, cut(payload)]),
      ];
      const different: string[] = [];
      for (const payload of randomPart(payloads)) {
        for (const policies of POLICIES) {
          const message = { topic: seed.topic, payload };
          const there = await large.read(1, format, message, policies);
          if (!isDeepStrictEqual(there, mapMessage(format, message, policies))) {
            different.push(`${payload.length} bytes: ${payload.toString('latin1', 0, 200)}`);
          }
        }
      }
      expect(different).to.deep.equal([]);
    });
  }
});
