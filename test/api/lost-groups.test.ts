import { expect } from 'chai';
import { pino } from 'pino';
import { Lifecycle } from '../../platform/runtime/lifecycle.ts';
import { startApi } from '../../services/api/start.ts';
import { apiConfig, expectProblem, useApi } from '../support/api.ts';
import { type Cut, type CuttingProxy, openCuttingProxy } from '../support/cutting-proxy.ts';
import type { Answer } from '../support/declared-answer.ts';
import { Link, targetOf } from '../support/link.ts';
import { expectUnavailable } from '../support/unavailable.ts';

/** At once: the first goes alone, and while it does others gather that go together; the answer to all fits one packet. */
const CREATES = 24;
/** Of a group that is cut off. */
const SEVERAL = 4;

describe('creates that go together', () => {
  const api = useApi();
  let direct: string;
  let proxy: CuttingProxy;
  let link: Link;

  before(async () => {
    direct = api.url;
    proxy = await openCuttingProxy(api.database);
    link = await Link.open(targetOf(api.database.url));
    api.database.beforeDrop(() => link.close());
  });

  async function startBehind(url: string): Promise<void> {
    const lifecycle = new Lifecycle(pino({ level: 'silent' }));
    api.database.beforeDrop(() => lifecycle.stop());
    api.url = (await startApi(apiConfig(url), pino({ level: 'silent' }), lifecycle)).url;
  }

  const keys = (prefix: string) => Array.from({ length: CREATES }, (_, index) => `${prefix}-${index + 100}`);
  const create = (key: string) =>
    api.call({
      method: 'POST',
      path: '/api/v1/assets',
      json: { external_key: key, name: key, tags: [{ tag_type: 'rfid', value: `TAG-${key}` }] },
    });
  /** Those that are there, each with its tag. */
  async function stored(prefix: string): Promise<Set<string>> {
    const rows = await api.database.rows<{ key: string }>(
      `select external_key as key from assets join tags on tags.asset_id = assets.id
       where external_key like $1 and value = 'TAG-' || external_key`,
      [`${prefix}-%`],
    );
    expect(new Set(rows.map(({ key }) => key)).size).to.equal(rows.length);
    return new Set(rows.map(({ key }) => key));
  }
  /** How many go together is not certain on a busy machine: sends others until so many did that they are cut off. */
  async function createUntil(cut: Cut) {
    const before = proxy.cuts();
    for (let round = 0; ; round++) {
      const prefix = `${cut.replace(' ', '-')}-${round}`;
      const sent = keys(prefix);
      proxy.cutNext(cut, (bytes) => sent.filter((key) => bytes.includes(`TAG-${key}`)).length >= SEVERAL);
      const answers = await Promise.all(sent.map(create));
      if (proxy.cuts() > before || round === 9) {
        expect(proxy.cuts()).to.equal(before + 1);
        return { prefix, sent, answers };
      }
    }
  }
  const withStatus = (status: number, answers: readonly Answer[], sent: readonly string[]) =>
    sent.filter((_, index) => answers[index]?.status === status);

  const cases: [Cut, string][] = [
    ['before commit', 'leave nothing where the connection is cut before they are done'],
    ['after commit', 'are there where the connection is cut when they are done'],
  ];
  for (const [cut, promise] of cases) {
    it(`${promise}; all are told that it is not known, and can be repeated with their keys`, async () => {
      await startBehind(proxy.url);
      await create(`first-${cut.replace(' ', '-')}`);
      const { prefix, sent, answers } = await createUntil(cut);
      const created = withStatus(201, answers, sent);
      const refused = withStatus(500, answers, sent);
      expect(created.length + refused.length).to.equal(CREATES);
      expect(refused.length).to.be.at.least(SEVERAL);
      for (const answer of answers.filter(({ status }) => status === 500)) {
        expectProblem(
          answer,
          'internal_error',
          'The connection to the database was lost; the request may have been carried out',
        );
        expect(answer.headers.get('retry-after')).to.equal(null);
      }
      const there = await stored(prefix);
      expect(created.filter((key) => !there.has(key))).to.deep.equal([]);
      expect(refused.filter((key) => there.has(key))).to.deep.equal(cut === 'after commit' ? refused : []);
      const again = await Promise.all(refused.map(create));
      for (const [index, answer] of again.entries()) {
        if (cut === 'before commit') {
          expect(answer.status).to.equal(201);
        } else {
          expectProblem(answer, 'conflict', `asset with external_key ${refused[index]} already exists`);
        }
      }
      expect(await stored(prefix)).to.deep.equal(new Set(sent));
    });
  }

  it('are all answered with 503 where the database was away before, and done when they are repeated', async () => {
    api.url = direct;
    const sent = keys('away');
    await startBehind(link.by(api.database.url));
    await create('first-away');
    link.cut();
    // What was open is found broken by the first.
    await create('second-away');
    for (const answer of await Promise.all(sent.map(create))) {
      expectUnavailable(answer);
    }
    link.mend();
    expect(await stored('away')).to.deep.equal(new Set());
    const again = await Promise.all(sent.map(create));
    expect(withStatus(201, again, sent)).to.deep.equal(sent);
    expect(await stored('away')).to.deep.equal(new Set(sent));
  });
});
