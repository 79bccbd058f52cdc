import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'chai';
import { useApi } from '../support/api.ts';

describe('a request behind which the caller closes its side', () => {
  const api = useApi();

  async function send(lines: readonly string[], body = ''): Promise<string> {
    const { hostname, port } = new URL(api.url);
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    const answer = await text(
      socket.end(
        `${[...lines, 'Host: here', `Authorization: Bearer ${api.key}`].join('\r\n')}\r\n\r\n${body}`,
      ),
    );
    // A write that takes long says so first.
    return answer.replace(/^(HTTP\/1.1 102 Processing\r\n\r\n)+/, '');
  }

  it('is answered: look-ups, lists and writes', async () => {
    const body = '{"name":"Pallet"}';
    const created = await send(
      ['POST /api/v1/assets HTTP/1.1', 'Content-Type: application/json', `Content-Length: ${body.length}`],
      body,
    );
    expect(created)
      .to.match(/^HTTP\/1.1 201 /)
      .and.to.include('"name":"Pallet"');
    expect(await send(['GET /api/v1/assets HTTP/1.1']))
      .to.match(/^HTTP\/1.1 200 /)
      .and.to.include('Pallet');
    expect(await send(['GET /healthz HTTP/1.0'])).to.include('alive');
  });

  it('is refused where its body is not there to its end', async () => {
    const answer = await send(
      ['POST /api/v1/assets HTTP/1.1', 'Content-Type: application/json', 'Content-Length: 100'],
      '{"name":"Pallet"}',
    );
    expect(answer)
      .to.match(/^HTTP\/1.1 400 /)
      .and.to.include('bad_request');
    expect(await api.database.rows("select from assets where name = 'Pallet'")).to.have.length(1);
  });
});
