import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ANSWERS_FILE, answerTypes } from '../../../clients/console-app/build/answer-types.ts';

describe('the types of what the console is answered', () => {
  it('are what the routes declare (npm run types writes them)', () => {
    expect(readFileSync(ANSWERS_FILE, 'utf8')).to.equal(answerTypes());
  });
});
