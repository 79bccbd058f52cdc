import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import type { OpenApiDocument } from '../../platform/description/openapi.ts';
import { GATEWAY_ROUTES } from '../../services/handheld-gateway/routes.ts';
import { useGateway } from '../support/gateway.ts';

describe('the description of the handheld gateway', () => {
  const gateway = useGateway();
  let document: OpenApiDocument;
  before(async () => {
    const response = await fetch(`${gateway.url}/handheld/openapi.json`);
    expect(response.headers.get('content-type')).to.equal('application/json');
    document = (await response.json()) as OpenApiDocument;
  });

  it('is valid OpenAPI 3.1', async () => {
    const result = await new Validator().validate({ ...document });
    expect(result.errors ?? []).to.deep.equal([]);
    expect(result.valid).to.equal(true);
  });

  it('has every route, and nothing else', () => {
    const described = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
    );
    expect(described.sort()).to.deep.equal(
      GATEWAY_ROUTES.map(({ method, path }) => `${method} ${path}`).sort(),
    );
  });

  for (const what of ['submission', 'sweep']) {
    it(`says what a ${what} can be answered`, () => {
      const { responses, requestBody } = document.paths[`/handheld/v1/${what}s`]?.post ?? {};
      const statuses = ['200', '201', '400', '401', '408', '409', '413', '415', '429', '500', '503'];
      expect(Object.keys(responses ?? {})).to.deep.equal(statuses);
      expect(requestBody?.content).to.have.all.keys('application/json');
    });
  }

  it('tells which parameters must be given', () => {
    const parameters = document.paths['/handheld/v1/tags']?.get?.parameters ?? [];
    expect(parameters.map(({ name, required }) => [name, required])).to.deep.equal([
      ['tag_type', true],
      ['value', true],
      ['guessed', false],
    ]);
  });
});
