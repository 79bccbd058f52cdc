import { expect } from 'chai';
import {
  databaseOf,
  placeOf,
  readDatabaseUrl,
  withDatabase,
} from '../../../db/timescale/connections/database-url.ts';

describe('the address of a database', () => {
  const SEVERAL =
    'postgres://u:p%40w@one:5433,two,[::1]:5434/tag%20trail?sslmode=verify-full&target_session_attrs=read-write';

  it('names one server, of which nothing is wanted', () => {
    expect(readDatabaseUrl('postgres://u:p@one/tagtrail')).to.deep.equal({
      first: 'postgres://u:p@one/tagtrail',
      addresses: [{ host: 'one', port: 5432 }],
      wanted: null,
    });
    expect(readDatabaseUrl('postgres:///tagtrail?host=/run')?.wanted).to.equal(null);
  });

  it('names several, of which the primary is wanted', () => {
    expect(readDatabaseUrl(SEVERAL)).to.deep.equal({
      first: 'postgres://u:p%40w@one:5433/tag%20trail?sslmode=verify-full&target_session_attrs=read-write',
      addresses: [
        { host: 'one', port: 5433 },
        { host: 'two', port: 5432 },
        { host: '::1', port: 5434 },
      ],
      wanted: 'primary',
    });
    expect(readDatabaseUrl('postgres://one,two/tagtrail')?.wanted).to.equal('primary');
  });

  it('may want the primary of one, which another host may answer for', () => {
    expect(readDatabaseUrl('postgres://one/tagtrail?target_session_attrs=primary')?.wanted).to.equal(
      'primary',
    );
    expect(readDatabaseUrl('postgres://one/tagtrail?target_session_attrs=any')?.wanted).to.equal(null);
  });

  for (const wrong of [
    'postgres://one,/tagtrail',
    'postgres:///tagtrail?host=/run&target_session_attrs=read-write',
    'postgres://one,two:port/tagtrail',
    'postgres://one,two/tagtrail?target_session_attrs=prefer-standby',
    'one,two',
    '',
  ]) {
    it(`is not ${JSON.stringify(wrong)}`, () => {
      expect(readDatabaseUrl(wrong)).to.equal(null);
    });
  }

  it('is shown without user and password', () => {
    expect(placeOf(SEVERAL)).to.equal('one:5433,two,[::1]:5434/tag%20trail');
  });

  it('leads to another database on the same servers', () => {
    expect(databaseOf(SEVERAL)).to.equal('tag trail');
    expect(withDatabase(SEVERAL, 'other one')).to.equal(
      'postgres://u:p%40w@one:5433,two,[::1]:5434/other%20one?sslmode=verify-full&target_session_attrs=read-write',
    );
  });
});
