import { expect } from 'chai';
import { useApi } from '../../support/api.ts';

describe('what is below /epcis/v2', () => {
  const api = useApi();
  const ask = async (path: string, init: RequestInit = {}, key: string | null = api.key) => {
    const authorization: Record<string, string> = key === null ? {} : { Authorization: `Bearer ${key}` };
    const response = await fetch(`${api.url}/epcis/v2${path}`, {
      ...init,
      headers: { ...authorization, ...init.headers },
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? null : JSON.parse(text),
    };
  };
  const with_ = (headers: Record<string, string>) => ask('', { headers });

  for (const path of ['', '/']) {
    it(`names its resources and its version at "${path}"`, async () => {
      const { status, headers, body } = await ask(path);
      expect(status).to.equal(200);
      expect(headers.get('GS1-EPCIS-Version')).to.equal('2.0.0');
      expect(headers.get('GS1-CBV-Max')).to.equal('2.0.0');
      expect(body).to.deep.include({ type: 'Collection' });
      expect(body.member).to.include.members(['events', 'capture', 'queries', 'epcs']);
    });
  }

  it('answers in JSON-LD to whoever wants only that', async () => {
    expect((await with_({ Accept: 'application/ld+json' })).headers.get('Content-Type')).to.equal(
      'application/ld+json',
    );
  });

  it('admits versions in between, however many parts they have', async () => {
    const headers = { 'GS1-EPCIS-Min': '1.2', 'GS1-EPCIS-Max': '2', 'GS1-CBV-Version': '2.0' };
    expect((await with_(headers)).status).to.equal(200);
  });

  for (const [name, value] of [
    ['GS1-EPCIS-Min', '2.1'],
    ['GS1-EPCIS-Max', '1.2.0'],
    ['GS1-CBV-Version', '1.2'],
    ['GS1-EPCIS-Version', 'two'],
    ['GS1-EPC-Format', 'Always_EPC_URN'],
    ['Accept', 'application/xml'],
  ] as const) {
    it(`refuses ${name}: ${value}`, async () => {
      const { status, headers, body } = await with_({ [name]: value });
      expect(status).to.equal(406);
      expect(headers.get('Content-Type')).to.equal('application/problem+json');
      expect(body).to.include({ type: 'epcisException:NotAcceptableException', status: 406 });
      expect(body.detail).to.include(name.replace(/Min|Max|Version/, ''));
    });
  }

  it('tells without a key what a path can do', async () => {
    const { status, headers, body } = await ask('', { method: 'OPTIONS' }, null);
    expect([status, body]).to.deep.equal([204, null]);
    expect(headers.get('Allow')).to.equal('OPTIONS, GET, HEAD');
    expect(headers.get('GS1-EPCIS-Min')).to.equal('2.0.0');
    expect(headers.get('GS1-EPC-Format')).to.equal('Always_GS1_Digital_Link');
    expect(headers.get('GS1-Vendor-Version')).to.match(/^tagtrail-/);
  });

  it('is none of what is beside it', async () => {
    const { status, headers } = await ask('x');
    expect([status, headers.get('GS1-EPCIS-Version')]).to.deep.equal([404, null]);
  });

  it('answers with the problems of the standard', async () => {
    const withoutScope = await api.keyWith(['assets:read']);
    for (const [answer, status, type] of [
      [await ask('', {}, null), 401, 'SecurityException'],
      [await ask('', {}, withoutScope), 403, 'SecurityException'],
      [await ask('/nothing'), 404, 'NoSuchResourceException'],
      [await ask('/nothing', { method: 'OPTIONS' }), 404, 'NoSuchResourceException'],
      [await ask('?x=1'), 400, 'ValidationException'],
      [await ask('', { method: 'DELETE' }), 405, 'ImplementationException'],
    ] as const) {
      expect(answer.status).to.equal(status);
      expect(answer.headers.get('Content-Type')).to.equal('application/problem+json');
      expect(answer.headers.get('GS1-EPCIS-Version')).to.equal('2.0.0');
      expect(answer.body).to.include({ type: `epcisException:${type}`, status });
      expect(answer.body.title).to.be.a('string');
    }
  });
});
