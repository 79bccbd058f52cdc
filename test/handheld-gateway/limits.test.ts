import { expect } from 'chai';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createHandheld } from '../../domain/administration/handhelds/create-handheld.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { useGateway } from '../support/gateway.ts';
import { aScan, aSubmission } from '../support/new-submission.ts';

describe('the rate limit of handhelds', () => {
  const gateway = useGateway();
  let url: string;
  before(async () => {
    url = await gateway.start({ HANDHELD_RATE_LIMIT_PER_MINUTE: 1, HANDHELD_RATE_LIMIT_BURST: 3 });
  });
  const newToken = async () =>
    (
      await createHandheld(databaseOn(gateway.database.pool), TEST_ACTOR, {
        orgId: gateway.site.orgId,
        name: 'gun',
      })
    ).token;

  it('refuses what is too much, says when to come again, and records nothing of it', async () => {
    const token = await newToken();
    for (const remaining of ['1', '1', '0']) {
      const answer = await gateway.call({ path: '/handheld/v1/locations', token, url });
      expect(answer.status).to.equal(200);
      expect(answer.headers.get('x-ratelimit-limit')).to.equal('1');
      expect(answer.headers.get('x-ratelimit-remaining')).to.equal(remaining);
    }
    const refused = await gateway.submit(aSubmission([aScan('E2')]), { token, url });
    expect(refused.body?.error).to.include({ type: 'rate_limited', status: 429 });
    expect(Number(refused.headers.get('retry-after'))).to.be.within(1, 60);
    expect(await gateway.database.rows('select from submissions')).to.deep.equal([]);
  });

  it('is each handheld its own', async () => {
    const answer = await gateway.call({ path: '/handheld/v1/locations', token: await newToken(), url });
    expect(answer.status).to.equal(200);
  });

  it('is not needed for bad tokens: beyond a number of them an address has to wait, and good ones are let in', async () => {
    const strict = await gateway.start({ SIGN_IN_FAILURES_PER_MINUTE: 3 });
    const ask = (token: string | null) =>
      gateway.call({ path: '/handheld/v1/locations', token, url: strict });
    const good = await newToken();
    const answers = [];
    for (const token of [null, 'th_1', `${good.slice(0, -43)}${'x'.repeat(43)}`, 'th_1', null]) {
      answers.push(await ask(token));
    }
    expect(answers.map(({ status }) => status)).to.deep.equal([401, 401, 401, 429, 429]);
    expect(Number(answers.at(-1)?.headers.get('retry-after'))).to.be.within(1, 60);
    expect((await ask(good)).status).to.equal(200);
    const metrics = await (await fetch(`${strict}/metrics`)).text();
    expect(metrics).to.include('tagtrail_http_sign_in_failures_total{answer="limited"} 2');
  });

  it('is not touched by the description, health and who has no token', async () => {
    for (const path of ['/handheld/openapi.json', '/healthz', '/handheld/v1/tags', '/handheld/v1/nothing']) {
      const { headers } = await fetch(url + path);
      expect(headers.get('x-ratelimit-remaining') ?? '1').to.equal('1');
    }
  });
});
