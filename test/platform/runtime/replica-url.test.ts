import { expect } from 'chai';
import { DATABASE_READ_URL } from '../../../platform/runtime/common-settings.ts';
import { readSettings } from '../../../platform/runtime/settings.ts';

describe('DATABASE_READ_URL', () => {
  const read = (text: string) =>
    readSettings({ DATABASE_READ_URL }, { DATABASE_READ_URL: text }).DATABASE_READ_URL;

  it('leads to standbys, of one server or several', () => {
    for (const [text, url] of [
      ['', null],
      ['postgres://u:p@one/tagtrail', 'postgres://u:p@one/tagtrail?target_session_attrs=standby'],
      [
        'postgres://one,two/t?sslmode=require',
        'postgres://one,two/t?sslmode=require&target_session_attrs=standby',
      ],
      ['postgres://one/t?target_session_attrs=read-only', 'postgres://one/t?target_session_attrs=read-only'],
    ] as const) {
      expect(read(text), text).to.equal(url);
    }
  });

  it('is refused if it asks for another server', () => {
    for (const text of ['http://one/t', 'postgres://one/t?target_session_attrs=read-write', 'one']) {
      expect(() => read(text), text).to.throw(/^DATABASE_READ_URL .*target_session_attrs=standby$/);
    }
  });
});
