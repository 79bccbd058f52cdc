import { expect } from 'chai';
import { mapMessage } from '../../../../domain/formats/mapping/run.ts';
import { loadTargets } from '../../../support/fuzz-targets.ts';
import { randomSets } from '../../../support/random-sets.ts';
import { fuzzedMessage } from '../fuzz/message.ts';
import { faultOf } from '../fuzz/soundness.ts';

/** The long form of this is `npm run fuzz:formats`. A finding is repeated by its seed and index, there and here. */
const SEED = 1;
const EACH = Math.max(200, randomSets(1_000));

describe('mapping any message at all', () => {
  const targets = loadTargets();
  for (const [number, { format }] of targets.entries()) {
    it(`ends in an outcome, never in an exception (${format.name})`, () => {
      for (let index = number; index < EACH * targets.length; index += targets.length) {
        const { message, policies } = fuzzedMessage(targets, SEED, index);
        expect([index, faultOf(mapMessage(format, message, policies))]).to.deep.equal([index, null]);
      }
    });
  }
});
