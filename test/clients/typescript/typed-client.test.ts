import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { API_ROUTES } from '../../../services/api/routes.ts';
import { useApi } from '../../support/api.ts';
import { useTypedClient } from '../../support/typed-client.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PROGRAM = new URL('program/program.ts', import.meta.url).href;

describe('the typed client', () => {
  const api = useApi();
  const client = useTypedClient();

  it('compiles with its example and a program that uses every operation', async () => {
    const tsc = ['node_modules/typescript/bin/tsc', '--project', 'test/clients/typescript/program'];
    const { stdout } = await promisify(execFile)(process.execPath, tsc, { cwd: ROOT }).catch(
      (error) => error,
    );
    expect(stdout).to.equal('');
  });

  it('works, for every operation', async () => {
    const { useEveryOperation } = await import(PROGRAM);
    const used: string[] = await useEveryOperation(api.url, api.key);
    const described = API_ROUTES.filter(({ isInternal }) => !isInternal);
    expect(new Set(used)).to.deep.equal(new Set(described.map(({ method, path }) => `${method} ${path}`)));
  });

  it('filters by fields of metadata', async () => {
    const { createTagtrailClient } = client();
    const tagtrail = createTagtrailClient({ baseUrl: api.url, apiKey: api.key });
    const body = { name: 'Filtered', metadata: { 'owner & co': 'Blue Line', n: 1 } };
    await tagtrail.POST('/api/v1/assets', { body });
    const metadata = { 'metadata.owner & co': 'Blue Line', 'metadata.n': '1' };
    const { data } = await tagtrail.GET('/api/v1/assets', { params: { query: { metadata } } });
    expect(data?.data.map((row: { name: string }) => row.name)).to.deep.equal(['Filtered']);
  });

  it('pages through a list, every row once', async () => {
    const { key } = await api.organization();
    const names = Array.from({ length: 7 }, (_, index) => `Asset ${index}`);
    for (const name of names) {
      await api.call({ method: 'POST', path: '/api/v1/assets', key, json: { name } });
    }
    const { createTagtrailClient, rows, rowsById } = client();
    const tagtrail = createTagtrailClient({ baseUrl: api.url, apiKey: key });
    const asked: unknown[] = [];
    const found: string[] = [];
    for await (const { name } of rows((page: object) => {
      asked.push(page);
      return tagtrail.GET('/api/v1/assets', { params: { query: { ...page, sort: 'created_at' } } });
    }, 3)) {
      found.push(name);
    }
    expect(found).to.deep.equal(names);
    expect(asked).to.deep.equal([0, 3, 6].map((offset) => ({ limit: 3, offset })));

    const byId: string[] = [];
    for await (const { id, name } of rowsById(
      (page: object) => tagtrail.GET('/api/v1/assets', { params: { query: page } }),
      3,
    )) {
      byId.push(name);
      // Rows that go do not move those behind them.
      await api.call({ method: 'DELETE', path: `/api/v1/assets/${id}`, key });
    }
    expect(byId).to.deep.equal(names);
  });

  it('throws what the API says of a refusal', async () => {
    const { createTagtrailClient, unwrap, TagtrailError } = client();
    const tagtrail = createTagtrailClient({ baseUrl: api.url, apiKey: api.key });
    const refused = await tagtrail.POST('/api/v1/assets', { body: { name: '' } });
    expect(() => unwrap(refused))
      .to.throw(TagtrailError)
      .with.nested.property('problem.fields[0].code', 'too_short');
  });

  it('throws the status of a refusal that is not of the API, but of what stands between', () => {
    const { unwrap } = client();
    const response = new Response('<h1>Not here</h1>', { status: 404, statusText: 'Not Found' });
    for (const error of ['<h1>Not here</h1>', {}, undefined]) {
      expect(() => unwrap({ error, response }))
        .to.throw(Error, '404 Not Found')
        .with.property('name', 'Error');
    }
  });
});
