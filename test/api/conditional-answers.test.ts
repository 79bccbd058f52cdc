import { expect } from 'chai';
import { useApi } from '../support/api.ts';

describe('an answer that the caller may have', () => {
  const api = useApi();
  let key: string;
  let path: string;
  before(async () => {
    ({ key } = await api.organization());
    for (let number = 0; number < 20; number++) {
      const { body } = await api.call({
        method: 'POST',
        path: '/api/v1/assets',
        key,
        json: { name: 'Pallet' },
      });
      path = `/api/v1/assets/${body?.data.id}`;
    }
  });
  const get = async (target: string, headers: Record<string, string> = {}, method = 'GET') => {
    const authorization = { Authorization: `Bearer ${key}`, 'Accept-Encoding': 'identity' };
    const response = await fetch(api.url + target, { method, headers: { ...authorization, ...headers } });
    return { status: response.status, headers: response.headers, text: await response.text() };
  };

  for (const [what, target] of [
    ['a row', () => path],
    ['a list', () => '/api/v1/assets'],
  ] as const) {
    it(`is 304 while ${what} is the same, tags included`, async () => {
      const first = await get(target());
      const etag = first.headers.get('etag') ?? '';
      const again = await get(target(), { 'If-None-Match': `"other", ${etag}` });
      expect([again.status, again.text, again.headers.get('etag')]).to.deep.equal([304, '', etag]);
      expect(again.headers.get('x-ratelimit-remaining')).to.match(/^\d+$/);
      const head = await get(target(), {}, 'HEAD');
      expect(head.headers.get('etag')).to.equal(etag);
      await api.call({ method: 'POST', path: `${path}/tags`, key, json: { tag_type: 'ble', value: what } });
      const changed = await get(target(), { 'If-None-Match': etag });
      expect([changed.status, changed.text === first.text]).to.deep.equal([200, false]);
    });
  }

  it('is compressed from 1 KiB on for who takes that, and as long as it was for others', async () => {
    const gzip = { 'Accept-Encoding': 'gzip' };
    for (const [target, is] of [
      [path, null],
      ['/api/v1/assets', 'gzip'],
      ['/api/openapi.json', 'gzip'],
      ['/api/openapi.yaml', 'gzip'],
    ] as const) {
      const [plain, packed] = [await get(target), await get(target, gzip)];
      expect(plain.headers.get('content-encoding'), target).to.equal(null);
      expect(packed.headers.get('content-encoding'), target).to.equal(is);
      expect(packed.text, target).to.equal(plain.text);
      const same = await get(target, { ...gzip, 'If-None-Match': packed.headers.get('etag') ?? '' });
      expect([same.status, same.headers.get('vary')], target).to.deep.equal([304, 'Accept-Encoding']);
    }
  });

  it('is compressed as well where it is too long to be held', async () => {
    const metadata = { note: 'worn '.repeat(100_000) };
    for (const name of ['one', 'two', 'three']) {
      await api.call({ method: 'POST', path: '/api/v1/assets', key, json: { name, metadata } });
    }
    const [plain, packed] = [
      await get('/api/v1/assets'),
      await get('/api/v1/assets', { 'Accept-Encoding': 'gzip' }),
    ];
    expect([plain, packed].map(({ headers }) => headers.get('content-encoding'))).to.deep.equal([
      null,
      'gzip',
    ]);
    expect(packed.headers.get('vary')).to.equal('Accept-Encoding');
    expect(plain.text.length).to.be.above(1_500_000);
    expect(packed.text === plain.text).to.equal(true);
  });
});
