import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'chai';
import type { JsonSchema } from '../../../base/checks/fields.ts';
import type { Operation, Response } from '../../../platform/description/openapi.ts';
import { idInPath } from '../../../platform/http/parameters.ts';
import { routesOf } from '../../../platform/http/route.ts';
import { found } from '../../../platform/http/success.ts';
import { describeApi, describePublicApi } from '../../../services/api/description/document.ts';
import { API_RESOURCES, API_ROUTES } from '../../../services/api/routes.ts';

const OPTIONS = { publicUrl: null, limits: { perMinute: 60, burst: 120 } };

/** Without which a report about the past does not know what it is about. */
const TIMES = ['at', 'from', 'to'];

describe('the description', () => {
  const document = describePublicApi(API_RESOURCES, OPTIONS);
  const publicRoutes = API_ROUTES.filter(({ isInternal }) => !isInternal);
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
  const operationOf = (operationId: string): Operation => {
    const placed = operations.find(({ operation }) => operation.operationId === operationId);
    if (placed === undefined) {
      throw new Error(`there is no ${operationId}`);
    }
    return placed.operation;
  };
  const resolved = (response: Operation['responses'][string] | undefined): Response => {
    const target =
      response !== undefined && '$ref' in response
        ? document.components.responses[response.$ref.split('/').at(-1) ?? '']
        : response;
    if (target === undefined) {
      throw new Error('there is no such response');
    }
    return target;
  };

  it('is valid by the schema of OpenAPI 3.1', async () => {
    const result = await new Validator().validate({ ...structuredClone(document) });
    expect(result).to.deep.equal({ valid: true });
  });

  it("passes Redocly's recommended rules, but for components that no operation uses on purpose", async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const source = JSON.stringify(document);
    const problems = await lintFromString({ source, absoluteRef: 'openapi.json', config });
    expect(problems.map(({ ruleId, message }) => `${ruleId}: ${message}`)).to.deep.equal([
      'no-unused-components: Component: "MethodNotAllowed" is never used.',
      'no-unused-components: Component: "Deprecation" is never used.',
      'no-unused-components: Component: "Sunset" is never used.',
    ]);
  });

  it('has every public route, and nothing else', () => {
    expect(operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`)).to.have.members(
      publicRoutes.map(({ path, method }) => `${method} ${path}`),
    );
    expect(operations.map(({ operation }) => operation.operationId)).to.have.members(
      publicRoutes.map(({ operationId }) => operationId),
    );
    const text = JSON.stringify(document);
    for (const internal of ['keys:admin', 'scans:write', '/assets/bulk', 'api-keys']) {
      expect(text).not.to.include(internal);
    }
  });

  it('can describe the internal routes too', () => {
    const whole = describeApi(API_RESOURCES, OPTIONS);
    expect(Object.values(whole.paths).flatMap((item) => Object.values(item))).to.have.length(
      API_ROUTES.length,
    );
  });

  for (const route of publicRoutes) {
    describe(route.operationId, () => {
      const operation = operationOf(route.operationId);

      it('names its scope, its parameters and its body', () => {
        expect(operation['x-required-scopes']).to.deep.equal(route.scope === null ? [] : [route.scope]);
        expect(operation.parameters?.map(({ name, in: place }) => [name, place]) ?? []).to.deep.equal([
          ...Object.keys(route.params).map((name) => [name, 'path']),
          ...Object.keys(route.query.parameters).map((name) => [name, 'query']),
        ]);
        expect(Object.keys(operation.requestBody?.content ?? {})).to.deep.equal(
          route.body === null ? [] : [route.body.type],
        );
      });

      it('declares every status it answers with, each with its headers', () => {
        const types = Object.values(operation.responses).flatMap(
          (response) => resolved(response)['x-error-types'] ?? [],
        );
        expect(types).to.have.members([...route.problems.keys()]);
        expect(operation.responses).to.have.property(String(route.success.status));
        expect(operation.responses).not.to.have.property('405');
        for (const [status, response] of Object.entries(operation.responses)) {
          const headers = Object.keys(resolved(response).headers);
          expect(headers, status).to.include.members([
            'X-Request-ID',
            'X-RateLimit-Limit',
            'X-RateLimit-Remaining',
            'X-RateLimit-Reset',
          ]);
          expect(headers.includes('WWW-Authenticate')).to.equal(status === '401');
          expect(headers.includes('Retry-After')).to.equal(['408', '429', '503'].includes(status));
          expect(headers.includes('Location')).to.equal(status === '201');
        }
      });

      it('explains itself, its parameters and its body', () => {
        expect(operation.description).to.match(/\.$/);
        for (const { name, description } of operation.parameters ?? []) {
          expect(description, name).to.match(/\.$/);
        }
        for (const { example } of Object.values(operation.requestBody?.content ?? {})) {
          expect(example).to.be.an('object');
        }
      });
    });
  }

  it('describes 405, with Allow, without declaring it on any operation', () => {
    expect(Object.keys(document.components.responses['MethodNotAllowed']?.headers ?? {})).to.include('Allow');
  });

  it('lets repeatable parameters repeat, and no others', () => {
    const repeatable = (operationId: string) =>
      operationOf(operationId)
        .parameters?.filter(({ style, explode }) => style === 'form' && explode === true)
        .map(({ name, schema }) => [name, schema['type']]);
    expect(repeatable('listAssets')).to.deep.equal([
      ['external_key', 'array'],
      ['location_id', 'array'],
      ['location_external_key', 'array'],
      ['state', 'array'],
      ['tag_value', 'array'],
      ['metadata', 'object'],
    ]);
    expect(repeatable('listLocations')).to.deep.equal([
      ['external_key', 'array'],
      ['tag_value', 'array'],
    ]);
    expect(repeatable('listAssetHistory')).to.deep.equal([]);
    expect(repeatable('listAssetReadings')).to.deep.equal([['kind', 'array']]);
  });

  it('requires every field of an answer, and forbids unknown ones in a request', () => {
    const { schemas } = document.components;
    const bodies = JSON.stringify(operations.map(({ operation }) => operation.requestBody));
    const requests = [...bodies.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(([, name = '']) => name);
    for (const [name, schema] of Object.entries(schemas)) {
      const fields = Object.keys(schema['properties'] ?? {});
      if (requests.includes(name)) {
        expect(schema['additionalProperties'], name).to.equal(false);
      } else if (!['ErrorDetails', 'FieldError'].includes(name)) {
        // The parts of a change are numbered where there are several; few tags measure anything, or name something of GS1's.
        const optional = name === 'Tag' ? ['readings', 'gs1', 'digital_link', 'epc_uri'] : ['part'];
        expect(schema['required'], name).to.have.members(fields.filter((field) => !optional.includes(field)));
        expect(schema, name).not.to.have.property('additionalProperties');
      }
    }
    expect(requests).to.include.members(['NewAsset', 'AssetPatch', 'NewLocation', 'NewTag', 'Rename']);
    expect(Object.keys(schemas)).to.include.members([
      ...requests,
      'Asset',
      'Location',
      'Tag',
      'AssetLocationItem',
      'AssetHistoryItem',
      'ReadingItem',
      'Organization',
      'Error',
    ]);
  });

  it('requires of a request what it cannot do without, and every field of an error but `fields` and `params`', () => {
    const required = (name: string) => document.components.schemas[name]?.['required'];
    for (const [name, fields] of [
      ['NewAsset', ['name']],
      ['NewLocation', ['name']],
      ['NewTag', ['tag_type', 'value']],
      ['Rename', ['external_key']],
      ['AssetPatch', []],
      ['LocationPatch', []],
      ['ErrorDetails', ['type', 'title', 'status', 'detail', 'instance', 'request_id']],
      ['FieldError', ['field', 'code', 'message']],
    ] as const) {
      expect(required(name), name).to.have.members(fields);
    }
    for (const { operation } of operations) {
      if (operation.requestBody !== undefined) {
        expect(operation.requestBody.required, operation.operationId).to.equal(true);
      }
      for (const parameter of operation.parameters ?? []) {
        const isTimeOfReport =
          operation.operationId.startsWith('report') &&
          operation.operationId !== 'reportPresence' &&
          TIMES.includes(parameter.name);
        expect(parameter.required, parameter.name).to.equal(parameter.in === 'path' || isTimeOfReport);
      }
    }
  });

  it('explains every field', () => {
    const silent = Object.entries(document.components.schemas).flatMap(([name, { properties }]) =>
      Object.entries((properties ?? {}) as Record<string, JsonSchema>)
        .filter(([field, schema]) => schema['description'] === undefined && !isExplained(name, field))
        .map(([field]) => `${name}.${field}`),
    );
    expect(silent).to.deep.equal([]);
  });

  it('marks what may grow, and lists all there is today', () => {
    const { schemas } = document.components;
    const extensible = (name: string, field: string) =>
      ((schemas[name]?.['properties'] ?? {}) as Record<string, JsonSchema>)[field]?.['x-extensible-enum'];
    expect(extensible('Tag', 'tag_type')).to.deep.equal(['rfid', 'ble', 'barcode']);
    for (const event of ['MoveEvent', 'AlertEvent']) {
      expect(extensible(event, 'type'), event).to.be.an('array').that.is.not.empty;
    }
    const closed = Object.entries(schemas).filter(([, schema]) =>
      JSON.stringify(schema).includes('"type":"string","enum"'),
    );
    expect(closed.map(([name]) => name)).to.deep.equal(['NewTag']);
    expect(extensible('ErrorDetails', 'type')).to.have.members([
      'request_timeout',
      'validation_error',
      'bad_request',
      'unauthorized',
      'forbidden',
      'not_found',
      'method_not_allowed',
      'conflict',
      'gone',
      'feed_expired',
      'payload_too_large',
      'unsupported_media_type',
      'missing_org_context',
      'rate_limited',
      'internal_error',
      'query_timeout',
      'unavailable',
    ]);
    expect(extensible('FieldError', 'code')).to.have.members([
      'required',
      'invalid_value',
      'unknown_field',
      'too_short',
      'too_long',
      'too_small',
      'too_large',
      'fk_not_found',
      'ambiguous_fields',
      'read_only',
    ]);
  });

  it('has examples that its own schemas accept', () => {
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    ajv.addSchema(document, 'api');
    const examples = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
      ((schema['examples'] ?? []) as unknown[]).map((example) => [name, example] as const),
    );
    expect(examples).to.have.length.above(10);
    for (const [name, example] of examples) {
      const validate = ajv.getSchema(`api#/components/schemas/${name}`);
      expect(validate?.(example), `${name}: ${ajv.errorsText(validate?.errors)}`).to.equal(true);
    }
    for (const { operation } of operations) {
      for (const { name, schema, example } of operation.parameters ?? []) {
        expect(example === undefined || ajv.validate(schema, example), name).to.equal(true);
      }
    }
  });

  it('has the version of the interface, and takes keys as bearer tokens', () => {
    expect(document.info.version).to.equal('1.0.0');
    expect(document.security).to.deep.equal([{ apiKey: [] }]);
    expect(document.components.securitySchemes['apiKey']).to.include({ type: 'http', scheme: 'bearer' });
  });

  it('is about the server it came from, or the one it is told of', () => {
    const serverAt = (publicUrl: string | null) =>
      describePublicApi(API_RESOURCES, { ...OPTIONS, publicUrl }).servers[0]?.url;
    expect(serverAt(null)).to.equal('/');
    expect(serverAt('https://tags.example.com')).to.equal('https://tags.example.com');
    expect(serverAt('https://example.com/tags/?a=1#b')).to.equal('https://example.com/tags');
  });

  it('tells the limits the API was started with', () => {
    const { info } = describePublicApi(API_RESOURCES, { ...OPTIONS, limits: { perMinute: 7, burst: 13 } });
    expect(info.description).to.include('a bucket of 13 requests that refills at 7 a minute');
  });

  it('refuses two things of one name', () => {
    const named = (type: string) =>
      routesOf<undefined>()({
        method: 'GET',
        path: `/${type}/{id}`,
        operationId: type,
        summary: type,
        scope: null,
        params: { id: idInPath },
        success: found({ title: 'Thing', type }, 'A thing'),
        handle: async () => null,
      });
    const resource = (...types: string[]) => ({
      name: 'Things',
      description: 'Things.',
      routes: types.map(named),
    });
    expect(() => describeApi([resource('string')], OPTIONS)).not.to.throw();
    expect(() => describeApi([resource('string', 'boolean')], OPTIONS)).to.throw(
      'two schemas are called Thing',
    );
  });
});

/** What a wrapper holds is explained by the thing itself. */
function isExplained(name: string, field: string): boolean {
  return (
    field === 'data' ||
    (name === 'Error' && field === 'error') ||
    (name === 'Rename' && field === 'external_key')
  );
}
