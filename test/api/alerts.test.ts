import { expect } from 'chai';
import { expectIssues, expectProblem, useApi } from '../support/api.ts';
import { Site } from '../support/site.ts';

const RULE = '01KQS9Z0T4N7Q1XK5R8W2Y3C6D';

describe('alerts over the API', () => {
  const api = useApi();
  let key: string;
  let pallet: number;
  before(async () => {
    key = await api.keyWith(['tracking:read']);
    const site = Site.of(api.database, api.orgId);
    const yard = await site.location('YARD');
    pallet = await site.asset('PALLET');
    const reader = await site.reader('gate', [yard]);
    await api.database.rows(
      `insert into alerts (org_id, id, rule_id, rule_valid_from, rule_name, kind, asset_id, reader_id, location_id,
         opened_at, closed_at, state, because)
       values
         ($1, lpad('1', 26, '0'), $2, now(), 'Not in the yard', 'not_allowed', $3, null, $4, '2026-05-04T08:00Z',
           '2026-05-04T09:00Z', 'closed', '{"location_id":1}'),
         ($1, lpad('2', 26, '0'), lpad('9', 26, '0'), now(), 'Silent', 'reader', null, $5, null, '2026-05-04T10:00Z',
           null, 'open', '{"state":"silent"}'),
         ($1, lpad('3', 26, '0'), $2, now(), 'Not in the yard', 'not_allowed', $3, null, $4, '2026-05-04T11:00Z',
           '2026-05-04T12:00Z', 'withdrawn', '{"location_id":1}')`,
      [api.orgId, RULE, pallet, yard, reader],
    );
  });
  const listed = async (query: string) => {
    const { status, body } = await api.call({ path: `/api/v1/alerts?${query}`, key });
    expect(status).to.equal(200);
    return body?.data.map(({ id }: { id: string }) => Number(id)) as number[];
  };

  it('are listed, the last opened first, by state, rule, asset and time', async () => {
    expect(await listed('')).to.deep.equal([3, 2, 1]);
    expect(await listed('sort=opened_at&limit=1')).to.deep.equal([1]);
    expect(await listed('state=open&state=closed')).to.deep.equal([2, 1]);
    expect(await listed(`rule_id=${RULE}`)).to.deep.equal([3, 1]);
    expect(await listed(`asset_id=${pallet}&from=2026-05-04T09:00:00Z`)).to.deep.equal([3]);
    expect(await listed('to=2026-05-04T10:00:00Z')).to.deep.equal([1]);
    const { body } = await api.call({ path: `/api/v1/alerts/${'1'.padStart(26, '0')}`, key });
    expect(body?.data).to.deep.include({
      ...{ rule: { id: RULE, name: 'Not in the yard' }, kind: 'not_allowed', state: 'closed', level: null },
      ...{ asset: { id: pallet, external_key: 'PALLET' }, reader: null, because: { location_id: 1 } },
      ...{ opened_at: '2026-05-04T08:00:00.000Z', closed_at: '2026-05-04T09:00:00.000Z' },
    });
  });

  it('are refused to other scopes, and not found by ids of nothing', async () => {
    expectProblem(
      await api.call({ path: '/api/v1/alerts', key: await api.keyWith(['assets:read']) }),
      'forbidden',
    );
    expectProblem(
      await api.call({ path: `/api/v1/alerts/${'7'.repeat(26)}`, key }),
      'not_found',
      'Alert not found',
    );
    expectIssues(await api.call({ path: '/api/v1/alerts?rule_id=x&state=gone', key }), [
      ['state', 'invalid_value'],
      ['rule_id', 'invalid_value'],
    ]);
  });
});
