import { expect } from 'chai';
import { verbsOn } from '../../../db/timescale/queries/verbs.ts';
import { sparingTriggers } from '../../../domain/tracking/update-histories.ts';

describe('work without the triggers that keep marks', () => {
  it('fails with the first error of a lost connection, and leaves none unhandled', async () => {
    let sent = 0;
    const db = verbsOn(async () => {
      sent += 1;
      throw new Error(`lost at ${sent}`);
    });
    const work = async () => {
      await new Promise(setImmediate);
      throw new Error('lost while working');
    };
    const error = await sparingTriggers(db, work).catch((thrown: unknown) => thrown);
    // The suite fails for a rejection that nobody handles.
    await new Promise(setImmediate);
    expect(error).to.have.property('message', 'lost at 1');
  });
});
