import { expect } from 'chai';
import { readApiConfig } from '../../../services/api/config.ts';
import { readStandaloneConfig } from '../../../services/standalone/config.ts';
import { readDemoConfig } from '../../../services/standalone/demo/demo.ts';

describe('the settings of the rate limit', () => {
  const DATABASE_URL = 'postgres://host/db';

  it('are those of the contract unless others are given, alone and in one process', () => {
    for (const config of [readApiConfig({ DATABASE_URL }), readStandaloneConfig({})]) {
      expect(config).to.include({ RATE_LIMIT_PER_MINUTE: 60, RATE_LIMIT_BURST: 120, REDIS_URL: null });
    }
  });

  it('do not hold up a demo, which never uses a server of somebody else', () => {
    const config = readDemoConfig({ REDIS_URL: 'redis://host' });
    expect(config).to.include({ RATE_LIMIT_PER_MINUTE: 60_000, RATE_LIMIT_BURST: 60_000, REDIS_URL: null });
    expect(readDemoConfig({ RATE_LIMIT_BURST: '5' })).to.include({ RATE_LIMIT_BURST: 5 });
  });

  it('are refused where they cannot be used, without showing what may hold a password', () => {
    const environment = {
      DATABASE_URL,
      RATE_LIMIT_PER_MINUTE: '0',
      RATE_LIMIT_BURST: '1.5',
      REDIS_URL: 'http://:hush@host',
    };
    expect(() => readApiConfig(environment)).to.throw(
      [
        'RATE_LIMIT_PER_MINUTE is "0"; set RATE_LIMIT_PER_MINUTE to a whole number from 1 to 60000',
        'RATE_LIMIT_BURST is "1.5"; set RATE_LIMIT_BURST to a whole number from 1 to 120000',
        'REDIS_URL is not valid; set REDIS_URL to an address such as redis://user:password@host:6379',
      ].join('\n'),
    );
  });
});
