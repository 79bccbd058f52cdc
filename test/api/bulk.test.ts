import { connect } from 'node:net';
import { expect } from 'chai';
import { type Call, expectIssues, expectProblem, useApi } from '../support/api.ts';

const PATH = '/api/v1/assets/bulk';
const TYPE = 'multipart/form-data; boundary=b';
const FILE = field('file"; filename="assets.csv', 'name\r\nBox\r\n');

describe('POST /assets/bulk', () => {
  const api = useApi();
  const upload = (body: string | Uint8Array, call: Partial<Call> = {}) =>
    api.call({
      method: 'POST',
      path: PATH,
      body,
      ...call,
      headers: { 'Content-Type': TYPE, ...call.headers },
    });

  it("takes what this platform's own forms are sent as", async () => {
    const body = new FormData();
    body.set('file', new Blob(['name\nBox\n'], { type: 'text/csv' }), 'assets.csv');
    const headers = { Authorization: `Bearer ${api.key}` };
    const answer = await fetch(`${api.url}${PATH}?dry_run=true`, { method: 'POST', headers, body });
    const { data } = (await answer.json()) as { data: { created: number } };
    expect([answer.status, data.created]).to.deep.equal([200, 1]);
  });

  for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    it(`is 405 for ${method}, and never read as an asset's id`, async () => {
      for (const path of [PATH, `${PATH}?x=1`]) {
        const { status, headers } = await api.call({ method, path, key: null });
        expect([status, headers.get('allow')]).to.deep.equal([405, 'POST']);
      }
    });
  }

  it("reads bulk as an asset's id below that path", async () => {
    expectIssues(await api.call({ path: `${PATH}/history` }), [['asset_id', 'invalid_value']]);
  });

  for (const type of [
    'application/json',
    'text/csv',
    'multipart/mixed; boundary=b',
    'multipart/form-data; boundary=b; charset=latin1',
    '',
  ]) {
    it(`is 415 for "${type}"`, async () => {
      const answer = await upload(form(FILE), { headers: { 'Content-Type': type } });
      expectProblem(answer, 'unsupported_media_type', 'Content-Type must be multipart/form-data');
    });
  }

  for (const [what, type, body] of [
    ['a type without a boundary', 'multipart/form-data', form(FILE)],
    ['no body', TYPE, ''],
    ['a body that is no form', TYPE, 'name\nBox\n'],
    ['a form that is cut off', TYPE, form(FILE).slice(0, -3)],
    ['a field without a name', TYPE, form('Content-Disposition: form-data\r\n\r\nx')],
  ] as const) {
    it(`is a bad request with ${what}`, async () => {
      expectProblem(await upload(body, { headers: { 'Content-Type': type } }), 'bad_request');
    });
  }

  for (const [what, body, issues] of [
    ['no field', form(), [['file', 'required']]],
    [
      'another field',
      form(field('File', 'x')),
      [
        ['file', 'required'],
        ['File', 'unknown_field'],
      ],
    ],
    ['two files', form(FILE, FILE), [['file', 'invalid_value']]],
    [
      'more than a file',
      form(field('z', ''), FILE, field('a', ''), field('z', '')),
      [
        ['a', 'unknown_field'],
        ['z', 'unknown_field'],
      ],
    ],
  ] as const) {
    it(`refuses a form with ${what}`, async () => {
      expectIssues(await upload(body), issues);
    });
  }

  it('accepts 10 MiB and no more', async () => {
    const sized = (bytes: number) => form(field('file', 'x'.repeat(bytes - form(field('file', '')).length)));
    expectIssues(await upload(sized(10_485_760)), [['file', 'invalid_value']]);
    expectProblem(await upload(sized(10_485_761)), 'payload_too_large');
    expectProblem(await upload(form(FILE) + 'x'.repeat(10_485_760)), 'payload_too_large');
  });

  it('counts what does not say how long it is, reads past it, and goes on', async () => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    const received: Buffer[] = [];
    socket.on('data', (bytes) => received.push(bytes));
    const send = (text: string) =>
      new Promise<void>((resolve, reject) => {
        socket.write(text, (error) => (error ? reject(error) : resolve()));
      });
    const credentials = `Host: x\r\nAuthorization: Bearer ${api.key}\r\n`;
    await send(
      `POST ${PATH} HTTP/1.1\r\n${credentials}Content-Type: ${TYPE}\r\nTransfer-Encoding: chunked\r\n\r\n`,
    );
    for (const text of [form(FILE), ...Array.from({ length: 40 }, () => 'x'.repeat(1_000_000))]) {
      await send(`${text.length.toString(16)}\r\n${text}\r\n`);
    }
    await send(`0\r\n\r\nGET /api/v1/orgs/me HTTP/1.1\r\n${credentials}Connection: close\r\n\r\n`);
    await new Promise((resolve) => socket.once('close', resolve));
    const statuses = Buffer.concat(received)
      .toString()
      .match(/HTTP\/1\.1 [2-5]\d\d/g);
    expect(statuses).to.deep.equal(['HTTP/1.1 413', 'HTTP/1.1 200']);
  });

  it('checks a request in the order of the rest of the API', async () => {
    const wrong = { path: `${PATH}?a=1&dry_run=yes`, headers: { 'Content-Type': 'text/csv' } };
    expectProblem(await upload('x', { ...wrong, key: null }), 'unauthorized');
    const readOnly = await api.keyWith(['assets:read']);
    const answer = await upload('x', { ...wrong, key: readOnly });
    expectProblem(answer, 'forbidden', 'Missing required scope: assets:write');
    expectProblem(await upload('x', wrong), 'unsupported_media_type');
    expectIssues(await upload('x', { path: wrong.path }), [
      ['dry_run', 'invalid_value'],
      ['a', 'unknown_field'],
    ]);
    expectProblem(await upload('x'), 'bad_request');
  });
});

function form(...parts: string[]): string {
  return `${parts.map((part) => `--b\r\n${part}\r\n`).join('')}--b--\r\n`;
}

function field(name: string, content: string): string {
  return `Content-Disposition: form-data; name="${name}"\r\n\r\n${content}`;
}
