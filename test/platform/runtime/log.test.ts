import { expect } from 'chai';
import { recordedLog } from '../../support/recorded-log.ts';

const KEY_ID = '01J8Z3Y6Q4X7N5V2B9C1D0E8FG';
const SECRET = 'Zm9vYmFyYmF6cXV4cXV1eGNvcmdlZ3JhdWx0Z2FycGx5';

describe('the log', () => {
  it('masks what looks like a credential, wherever it stands, and keeps whose it is', () => {
    const { log, lines, text } = recordedLog();
    log.info(
      { path: `/api/v1/tt_${KEY_ID}_${SECRET}` },
      `sent th_12_${SECRET} to postgres://app:${SECRET}@db/x`,
    );
    expect(lines[0]).to.include({
      path: `/api/v1/tt_${KEY_ID}_***`,
      msg: 'sent th_12_*** to postgres://app:***@db/x',
    });
    log.info({ token: SECRET, reader: { password: SECRET } });
    expect(text()).not.to.include(SECRET);
  });

  it('leaves everything else as it is', () => {
    const { log, lines } = recordedLog();
    const address = 'http://127.0.0.1:8080/a?b=c@d';
    log.info({ address, time_of: 'tt_short', at: '12:30 a@b' }, 'mqtt://broker:1883 th_1_x');
    expect(lines[0]).to.include({
      address,
      time_of: 'tt_short',
      at: '12:30 a@b',
      msg: 'mqtt://broker:1883 th_1_x',
    });
  });

  it('tells of errors with their causes and codes, not with what libraries hang on them', () => {
    const { log, lines, text } = recordedLog();
    const cause = Object.assign(new Error('refused'), { code: 'ECONNREFUSED', input: SECRET });
    const error = Object.assign(new Error('no database', { cause }), {
      code: '08006',
      values: [SECRET],
      query: { values: [SECRET] },
    });
    log.warn({ err: error });
    log.warn({ err: new AggregateError([cause], '') });
    log.warn({ err: 'thrown' });
    expect(lines[0]?.['err']).to.include({ type: 'Error', message: 'no database', code: '08006' });
    expect(text()).to.include('caused by: Error: refused');
    expect(lines[1]?.['err']).to.include({ message: 'refused' });
    expect(lines[2]?.['err']).to.deep.equal({ message: 'thrown' });
    expect(text()).not.to.include(SECRET);
  });
});
