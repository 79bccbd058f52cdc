import { expect } from 'chai';
import { expectError, expectFields, useClient } from '../support/contract-client.ts';

const NOT_JSON = 'Request body is not valid JSON';

const BROKEN: Record<string, string | Uint8Array> = {
  'an empty body': '',
  'only blanks': ' \n',
  'a truncated object': '{"name":"x"',
  'a truncated string': '{"name":"x',
  'a truncated number': '{"name":-',
  'text after the body': '{"name":"x"} y',
  'a second body': '{"name":"x"}{"name":"y"}',
  'a byte order mark': '\ufeff{"name":"x"}',
  'a raw NUL in a string': '{"name":"x\u0000"}',
  'a NUL after the body': '{"name":"x"}\u0000',
  'a raw line feed in a string': '{"name":"x\ny"}',
  'single quotes': "{'name':'x'}",
  'a comment': '{"name":"x"/**/}',
  'a trailing comma': '{"name":"x",}',
  'a bare key': '{name:"x"}',
  NaN: '{"name":NaN}',
  'an unknown escape': '{"name":"\\x41"}',
  'UTF-16': Buffer.from('{"name":"x"}', 'utf16le'),
};

/** Half of a character: escaped, or as bytes that are no UTF-8. */
const HALVES: Record<string, string | Uint8Array> = {
  'a lone high surrogate': '{"name":"\\ud83d"}',
  'a lone low surrogate': '{"name":"\\udd27"}',
  'two in the wrong order': '{"name":"\\udd27\\ud83d"}',
  'a lone surrogate in a key': '{"\\ud83d":1}',
  'a continuation byte': Buffer.from([...Buffer.from('{"name":"'), 0x80, ...Buffer.from('"}')]),
  'an overlong slash': Buffer.from([...Buffer.from('{"name":"'), 0xc0, 0xaf, ...Buffer.from('"}')]),
  'a surrogate as bytes': Buffer.from([...Buffer.from('{"name":"'), 0xed, 0xa0, 0x80, ...Buffer.from('"}')]),
};

describe('a request body', () => {
  const client = useClient();
  let ids: { asset: number; location: number };
  before(async () => {
    const [asset, location] = [await client.make('assets'), await client.make('locations')];
    ids = { asset: asset.id, location: location.id };
  });
  const everywhere = async (body: string | Uint8Array) => [
    await client.post('/assets', undefined, { body }),
    await client.patch(`/assets/${ids.asset}`, undefined, { body }),
    await client.post(`/assets/${ids.asset}/rename`, undefined, { body }),
    await client.post(`/assets/${ids.asset}/tags`, undefined, { body }),
    await client.post('/locations', undefined, { body }),
    await client.patch(`/locations/${ids.location}`, undefined, { body }),
    await client.post(`/locations/${ids.location}/rename`, undefined, { body }),
    await client.post(`/locations/${ids.location}/tags`, undefined, { body }),
  ];
  const post = (body: string | Uint8Array) => client.post('/assets', undefined, { body });

  for (const [what, body] of Object.entries(BROKEN)) {
    it(`is no JSON with ${what}`, async () => {
      await client.changingNothing(async () => {
        for (const answer of await everywhere(body)) {
          expectError(answer, 400, 'bad_request', NOT_JSON);
        }
      });
    });
  }

  for (const [what, body] of Object.entries(HALVES)) {
    it(`is refused with ${what}`, async () => {
      await client.changingNothing(async () => {
        for (const answer of await everywhere(body)) {
          expect(answer.status).to.equal(400);
        }
      });
    });
  }

  it('is an object', async () => {
    for (const body of ['[]', '"{}"', '0', 'false', '[{"name":"x"}]']) {
      for (const answer of await everywhere(body)) {
        expectError(answer, 400, 'bad_request', 'Request body could not be decoded as the expected type');
      }
    }
    for (const answer of await everywhere('null')) {
      expectError(answer, 400, 'bad_request');
    }
  });

  it('may have blanks around it and anything legal in it', async () => {
    const { status, body } = await post(' \r\n\t{ "n\\u0061me" : "\\ud83d\\udd27\\/\\u0041\\t" } \n');
    expect(status).to.equal(201);
    expect(body?.data.name).to.equal('🔧/A\t');
  });

  it('has the last of a repeated key, also of a wrong or unknown type before', async () => {
    expect((await post('{"name":"a","name":"b"}')).body?.data.name).to.equal('b');
    expect((await post('{"name":null,"n\\u0061me":"b"}')).body?.data.name).to.equal('b');
    expectFields(await post('{"name":"a","name":null}'), [{ field: 'name', code: 'invalid_value' }]);
  });

  it('names the first field of a wrong type, in the order of the document', async () => {
    for (const [json, field] of [
      ['{"is_active":0,"name":1}', 'is_active'],
      ['{"name":1,"is_active":0}', 'name'],
      ['{"unknown":1,"description":1,"external_key":1}', 'description'],
      ['{"external_key":"","description":1}', 'description'],
    ] as const) {
      const detail = `Body field "${field}" could not be decoded as the expected type`;
      expectError(await post(json), 400, 'bad_request', detail);
    }
  });

  it('has three kinds of fields whose type is a matter of their value', async () => {
    expectFields(await post('{"name":"x","metadata":1,"valid_from":1,"valid_to":false}'), [
      { field: 'valid_from', code: 'invalid_value', message: 'valid_from must be an RFC 3339 timestamp' },
      { field: 'valid_to', code: 'invalid_value', message: 'valid_to must be an RFC 3339 timestamp' },
      { field: 'metadata', code: 'invalid_value' },
    ]);
    const patched = await client.patch(`/assets/${ids.asset}`, { id: 'x', tags: 5, created_at: [] });
    expectFields(patched, [
      { field: 'id', code: 'read_only' },
      { field: 'tags', code: 'read_only' },
      { field: 'created_at', code: 'read_only' },
    ]);
  });

  it('is nested 64 levels at most', async () => {
    const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
    const withMetadata = (levels: number) => `{"name":"x","metadata":${nested(levels - 1)}}`;
    expect((await post(withMetadata(64))).status).to.equal(201);
    for (const body of [
      withMetadata(65),
      nested(10_000),
      '['.repeat(200_000),
      `{"a":${'['.repeat(100_000)}`,
    ]) {
      expectError(await post(body), 400, 'bad_request');
    }
  });

  it('has 1 MiB at most', async () => {
    const sized = (bytes: number) => `{"name":"x"${' '.repeat(bytes - 12)}}`;
    expect((await post(sized(1_048_576))).status).to.equal(201);
    const answer = await post(sized(1_048_577));
    expectError(answer, 413, 'payload_too_large');
    expect(answer.body?.error?.title).to.equal('Payload too large');
  });
});
