import { expect } from 'chai';
import { handheldOf, tokenIn } from '../../../clients/handheld-app/src/session/token.ts';

const TOKEN = `th_12_${'aB-_'.repeat(10)}xyz`;

describe('the token in what was pasted or scanned', () => {
  for (const text of [
    TOKEN,
    `  ${TOKEN}\n`,
    `Authorization: Bearer ${TOKEN}`,
    `{"id":12,"token":"${TOKEN}"}`,
  ]) {
    it(`is found in ${JSON.stringify(text.replace(TOKEN, '…'))}`, () => {
      expect(tokenIn(text)).to.equal(TOKEN);
    });
  }

  it('is not found where there is none', () => {
    for (const text of ['', 'th_', 'th_12_short', 'tt_01_something-else-that-is-long', '4006381333931']) {
      expect(tokenIn(text), text).to.equal(null);
    }
  });

  it('says which handheld it is', () => {
    expect(handheldOf(TOKEN)).to.equal('12');
  });
});
