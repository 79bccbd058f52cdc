import { expect } from 'chai';
import { latest } from '../../../clients/handheld-app/src/storage/latest.ts';

describe('what is read from the memory of the device', () => {
  for (let turns = 0; turns < 8; turns++) {
    it(`is read once more if that is asked for ${turns} turns after a reading got its answer`, async () => {
      const answer = Promise.withResolvers<void>();
      let readings = 0;
      const read = latest(async () => {
        readings += 1;
        await answer.promise;
      });
      const first = read();
      const second = answer.promise.then(async () => {
        for (let turn = 0; turn < turns; turn++) {
          await null;
        }
        await read();
      });
      answer.resolve();
      await Promise.all([first, second]);
      expect(readings).to.equal(2);
    });
  }
});
