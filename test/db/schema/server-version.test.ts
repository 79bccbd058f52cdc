import { expect } from 'chai';
import { remedyOfVersion } from '../../../db/timescale/schema/server-version.ts';

describe('the version of a database server', () => {
  it('is 17 or newer', () => {
    expect(remedyOfVersion(150_018)).to.equal('Move to PostgreSQL 17 or newer');
    expect(remedyOfVersion(160_010)).to.include('17');
    expect(remedyOfVersion(170_000)).to.equal(null);
    expect(remedyOfVersion(180_001)).to.equal(null);
  });
});
