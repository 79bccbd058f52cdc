import { expect } from 'chai';
import { DATABASE_URL, faultOfAddresses, LOG_LEVEL } from '../../../platform/runtime/common-settings.ts';
import { integerSetting, optionalUrl, portSetting } from '../../../platform/runtime/setting-kinds.ts';
import { readSettings } from '../../../platform/runtime/settings.ts';

describe('settings', () => {
  const settings = {
    DATABASE_URL,
    LOG_LEVEL,
    PORT: portSetting('a port', 8080),
    DAYS: integerSetting('some days', { initial: 30, min: 1, max: 365 }),
    REDIS_URL: optionalUrl('a cache', ['redis:'], 'redis://host:6379'),
  };
  const url = 'postgres://user:hush@host/db';

  it('have defaults, also where a variable is empty', () => {
    expect(readSettings(settings, { DATABASE_URL: url, PORT: '' })).to.deep.equal({
      DATABASE_URL: url,
      LOG_LEVEL: 'info',
      PORT: 8080,
      DAYS: 30,
      REDIS_URL: null,
    });
  });

  it('report all faults together, each with its name and what to do, and no secret', () => {
    const environment = { LOG_LEVEL: 'loud', PORT: '65536', DAYS: '1.5', REDIS_URL: 'http://u:hush@host' };
    expect(() => readSettings(settings, environment))
      .to.throw()
      .with.property(
        'message',
        [
          'DATABASE_URL is not set; set DATABASE_URL to an address such as postgres://user:password@host:5432/tagtrail, or ' +
            'of several servers: postgres://user:password@host1:5432,host2:5432/tagtrail?target_session_attrs=read-write',
          'LOG_LEVEL is "loud"; set LOG_LEVEL to one of fatal, error, warn, info, debug, trace, silent',
          'PORT is "65536"; set PORT to a whole number from 0 to 65535',
          'DAYS is "1.5"; set DAYS to a whole number from 1 to 365',
          'REDIS_URL is not valid; set REDIS_URL to an address such as redis://host:6379',
        ].join('\n'),
      );
  });

  it('are held against each other once each is good', () => {
    const rule = ({ DAYS }: { DAYS: number }) => (DAYS < 30 ? 'DAYS must be 30 at least' : null);
    expect(() => readSettings(settings, { DATABASE_URL: url, DAYS: '7' }, [rule])).to.throw(
      'DAYS must be 30',
    );
    expect(readSettings(settings, { DATABASE_URL: url }, [rule]).DAYS).to.equal(30);
  });

  it('refuse another way to a database that is not named', () => {
    const none = { DATABASE_URL: null, LISTEN_DATABASE_URL: null, MIGRATE_DATABASE_URL: null };
    expect(faultOfAddresses(none)).to.equal(null);
    expect(faultOfAddresses({ ...none, DATABASE_URL: url, MIGRATE_DATABASE_URL: url })).to.equal(null);
    const other = url.replace(/[^/]+$/, 'another');
    expect(faultOfAddresses({ ...none, DATABASE_URL: url, MIGRATE_DATABASE_URL: other })).to.match(
      /^MIGRATE_DATABASE_URL leads to the database another, and DATABASE_URL to /,
    );
    for (const alone of ['LISTEN_DATABASE_URL', 'MIGRATE_DATABASE_URL']) {
      expect(faultOfAddresses({ ...none, [alone]: url })).to.equal(
        `${alone} is set and DATABASE_URL is not; set DATABASE_URL to the database that processes use, or unset ${alone}`,
      );
    }
  });
});
