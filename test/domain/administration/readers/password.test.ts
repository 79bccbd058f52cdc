import { expect } from 'chai';
import { makePassword } from '../../../../domain/administration/readers/registration.ts';

describe("a reader's password", () => {
  it('is never taken for an option of a command line', () => {
    const passwords = Array.from({ length: 5_000 }, makePassword);
    expect(passwords.filter((password) => !/^\w[\w-]{31}$/.test(password))).to.deep.equal([]);
    expect(new Set(passwords)).to.have.length(passwords.length);
  });
});
