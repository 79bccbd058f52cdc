import { connect } from 'node:net';
import { expect } from 'chai';
import { useApi } from '../support/api.ts';
import { longestHold } from '../support/held-loop.ts';

describe('what is no request', () => {
  const api = useApi();
  /** Sends text as it is, and gives all that comes back until the connection is closed. */
  const exchange = async (text: string) => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    const received: Buffer[] = [];
    socket.on('data', (bytes) => received.push(bytes)).write(text);
    await new Promise((resolve) => socket.once('close', resolve));
    return Buffer.concat(received).toString();
  };
  const HEAD = 'Host: x\r\nConnection: close\r\n';

  for (const [what, text, detail, instance] of [
    ['text', 'hello\r\n\r\n', 'Request is not valid HTTP', '/'],
    [
      'a raw letter beyond ASCII',
      `GET /api/v1/\u00e4 HTTP/1.1\r\n${HEAD}\r\n`,
      'Request is not valid HTTP',
      '/api/v1/%C3%A4',
    ],
    [
      'a length that is no number',
      `POST /api/v1/locations HTTP/1.1\r\n${HEAD}Content-Length: x\r\n\r\n`,
      'Request is not valid HTTP',
      '/api/v1/locations',
    ],
    [
      'a long target',
      `GET /api/v1/assets?${'x'.repeat(20_000)} HTTP/1.1\r\n${HEAD}\r\n`,
      'Request target and headers are too long',
      '/api/v1/assets',
    ],
    [
      'a long header',
      `GET http://x/api/v1/orgs/me?a=1 HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      'Request target and headers are too long',
      '/api/v1/orgs/me',
    ],
  ] as const) {
    it(`is answered with an envelope, its path if that can be read, an id and the budget: ${what}`, async () => {
      const [head = '', body = ''] = (await exchange(text)).split('\r\n\r\n');
      expect(head).to.match(/^HTTP\/1\.1 400 Bad Request\r\nContent-Type: application\/json\r\n/);
      const id = /X-Request-ID: ([0-9A-HJKMNP-TV-Z]{26})\r\n/.exec(head)?.[1];
      expect(id).to.be.a('string');
      expect(head).to.match(
        /\r\nX-RateLimit-Limit: 60000\r\nX-RateLimit-Remaining: 60000\r\nX-RateLimit-Reset: \d+\r\n/,
      );
      expect(JSON.parse(body)).to.deep.equal({
        error: {
          type: 'bad_request',
          title: 'Bad request',
          status: 400,
          detail,
          instance,
          request_id: id,
        },
      });
    });
  }

  it('is answered once if it shows only in the body', async () => {
    const head = `${HEAD}Authorization: Bearer ${api.key}\r\nContent-Type: application/json\r\n`;
    const answers = await exchange(
      `POST /api/v1/assets HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\nZZ\r\n`,
    );
    expect(answers.match(/HTTP\/1\.1 [2-5]\d\d/g)).to.deep.equal(['HTTP/1.1 400']);
    expect(JSON.parse(answers.split('\r\n\r\n')[1] ?? '').error.instance).to.equal('/api/v1/assets');
  });

  it('is a body in chunks of next to no bytes, unless they are few', async () => {
    const post = (body: string, key: string) =>
      exchange(
        `POST /api/v1/assets HTTP/1.1\r\n${HEAD}Authorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
          `Transfer-Encoding: chunked\r\n\r\n${[...body].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`,
      );
    const statusesOf = (answers: string) => answers.match(/HTTP\/1\.1 [2-5]\d\d/g);
    expect(statusesOf(await post('{"name":"Any"}'.padEnd(2_000), api.key))).to.deep.equal(['HTTP/1.1 201']);
    const refused = await post('{"name":"Any"}'.padEnd(10_000), api.key);
    expect(statusesOf(refused)).to.deep.equal(['HTTP/1.1 400']);
    expect(JSON.parse(refused.split('\r\n\r\n')[1] ?? '').error).to.include({
      instance: '/api/v1/assets',
      detail: 'Request body comes in too many small chunks; send larger ones, or Content-Length',
    });
    expect(statusesOf(await post(' '.repeat(100_000), 'wrong'))).to.deep.equal(['HTTP/1.1 400']);
  });

  it('is answered after the request in front of it, which was valid and is done', async () => {
    const head = `Host: x\r\nAuthorization: Bearer ${api.key}\r\nContent-Type: application/json\r\n`;
    const create = `POST /api/v1/assets HTTP/1.1\r\n${head}Content-Length: 14\r\n\r\n{"name":"Any"}`;
    const answers = await exchange(`${create}${create}FOO /api/v1/nothing?a HTTP/1.1\r\n${HEAD}\r\n`);
    expect(JSON.parse(answers.split('\r\n\r\n').at(-1) ?? '').error.instance).to.equal('/api/v1/nothing');
    // A slow one is told in between that it is worked on (102).
    expect(answers.match(/HTTP\/1\.1 [2-5]\d\d/g)).to.deep.equal([
      'HTTP/1.1 201',
      'HTTP/1.1 201',
      'HTTP/1.1 404',
    ]);
  });

  it('is answered after the requests in front of it if it shows in its body', async () => {
    const head = `Host: x\r\nAuthorization: Bearer ${api.key}\r\nContent-Type: application/json\r\n`;
    const create = `POST /api/v1/assets HTTP/1.1\r\n${head}Content-Length: 14\r\n\r\n{"name":"Any"}`;
    const faulty = `POST /api/v1/locations HTTP/1.1\r\n${head}Transfer-Encoding: chunked\r\n\r\nZZ\r\n`;
    for (const count of [1, 3]) {
      const answers = await exchange(create.repeat(count) + faulty);
      expect(answers.match(/HTTP\/1\.1 [2-5]\d\d/g)).to.deep.equal([
        ...Array(count).fill('HTTP/1.1 201'),
        'HTTP/1.1 400',
      ]);
      const last = answers.split('\r\n\r\n').at(-1) ?? '';
      expect(JSON.parse(last).error.instance).to.equal('/api/v1/locations');
    }
  });

  it('is not answered once more if it shows in a body that was refused already', async () => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    const received: string[] = [];
    socket
      .setEncoding('latin1')
      .write(
        'POST /api/v1/assets HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer wrong\r\nTransfer-Encoding: chunked\r\n\r\n',
      );
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.on('data', (text: string) => {
      received.push(text);
      if (received.length === 1) {
        socket.write('ZZ\r\n');
      }
    });
    await closed;
    expect(received.join('').match(/HTTP\/1\.1 [2-5]\d\d/g)).to.deep.equal(['HTTP/1.1 401']);
  });

  it('is a request whose host cannot be one', async () => {
    const ask = (host: string) =>
      exchange(`GET /nowhere HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    for (const host of ['a b', 'a/b', 'user@a', 'a:b', '[::1', 'a\tb', '<a>']) {
      expect(await ask(host), host).to.match(/^HTTP\/1\.1 400 .*"detail":"Host header is not valid"/s);
    }
    for (const host of ['', 'a', 'a_b.example', '127.0.0.1:80', '[::1]:8080', '[fe80::1%25eth0]', 'a:']) {
      expect(await ask(host), host).to.match(/^HTTP\/1\.1 404 /);
    }
  });

  it('is not a method that is for proxies, or that nobody knows', async () => {
    for (const [line, status] of [
      ['CONNECT /api/v1/assets', '405 Method Not Allowed'],
      ['CONNECT x:443', '404 Not Found'],
      ['FOO /api/v1/assets?limit=1', '405 Method Not Allowed'],
      ['get /api/v1/assets', '405 Method Not Allowed'],
      ['PUTS /api/v1/nothing', '404 Not Found'],
    ] as const) {
      const [head = '', body = ''] = (await exchange(`${line} HTTP/1.1\r\n${HEAD}\r\n`)).split('\r\n\r\n');
      expect(head.startsWith(`HTTP/1.1 ${status}\r\n`), head).to.equal(true);
      expect(head)
        .to.match(/\r\nX-Request-ID: \w{26}\r\n/)
        .and.to.match(/\r\nX-RateLimit-Limit: 60000\r\n/);
      expect(head.includes('\r\nAllow: GET, HEAD, POST\r\n')).to.equal(status.startsWith('405'));
      expect(JSON.parse(body).error.status).to.equal(Number(status.slice(0, 3)));
    }
    const preface = await exchange('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
    expect(preface).to.match(/^HTTP\/1\.1 400 /);
  });

  it('ends the connection where it asks for a tunnel behind other requests, which are answered', async () => {
    const get = 'GET /healthz HTTP/1.1\r\nHost: here\r\n\r\n';
    const answers = await exchange(`${get}${get}CONNECT x:1 HTTP/1.1\r\n${HEAD}\r\n`);
    expect(answers.match(/HTTP\/1.1 \d+/g)).to.deep.equal(['HTTP/1.1 200', 'HTTP/1.1 200']);
  });

  it('is a request that does not say for which host', async () => {
    const [head = '', body = ''] = (
      await exchange('GET /api/v1/assets HTTP/1.1\r\nConnection: close\r\n\r\n')
    ).split('\r\n\r\n');
    expect(head).to.match(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(head)
      .to.match(/\r\nX-Request-ID: \w{26}\r\n/)
      .and.to.match(/\r\nX-RateLimit-Limit: 60000\r\n/);
    expect(JSON.parse(body).error).to.include({ type: 'bad_request', detail: 'Host header is required' });
    expect(await exchange('GET /healthz HTTP/1.0\r\n\r\n')).to.match(/^HTTP\/1\.1 200 OK/);
  });

  it('is a request that says twice what can be said once', async () => {
    const once = { Host: 'x', Authorization: `Bearer ${api.key}`, 'Content-Type': 'application/json' };
    const lines = Object.entries(once).map(([name, value]) => `${name}: ${value}\r\n`);
    const ask = (request: string, more: string) =>
      exchange(`${request} HTTP/1.1\r\n${lines.join('')}Connection: close\r\n${more}\r\n{"name":"Once"}`);
    const post = (more: string) => ask('POST /api/v1/assets', `Content-Length: 15\r\n${more}`);
    for (const [name, value] of Object.entries(once)) {
      for (const again of [`${name}: ${value}`, `${name.toUpperCase()}: other`, `${name.toLowerCase()}:`]) {
        const [head = '', body = ''] = (await post(`${again}\r\n`)).split('\r\n\r\n');
        expect(head, again)
          .to.match(/^HTTP\/1\.1 400 Bad Request\r\n/)
          .and.to.match(/\r\nX-RateLimit-Remaining: 60000/);
        const { type, detail, instance } = JSON.parse(body).error;
        expect({ type, detail, instance }).to.deep.equal({
          type: 'bad_request',
          detail: `${name} header must be given only once`,
          instance: '/api/v1/assets',
        });
      }
    }
    expect(await ask('GET /nowhere', 'Host: y\r\n')).to.match(/^HTTP\/1\.1 400 /);
    expect((await api.call({ path: '/api/v1/assets?q=Once' })).body?.total_count).to.equal(0);
    expect(await post('Accept: a\r\nAccept: b\r\n')).to.match(/^HTTP\/1\.1 201 /);
  });

  it('is not an expectation that nobody knows', async () => {
    expect(await exchange(`GET /healthz HTTP/1.1\r\n${HEAD}Expect: wonders\r\n\r\n`)).to.match(
      /^HTTP\/1\.1 200 OK/,
    );
  });

  for (const [what, text] of [
    ['letters without a space', 'a'.repeat(65_536)],
    ['a long path', `GET /${'a'.repeat(66_000)} HTTP/1.1\r\n${HEAD}\r\n`],
    ['spaces', `${' '.repeat(65_000)}\r\n\r\n`],
    ['the start of a request, again and again', 'GET / '.repeat(11_000)],
  ] as const) {
    it(`does not hold the event loop, whatever it is: ${what}`, async () => {
      expect(await longestHold(() => exchange(text), 3)).to.be.below(50);
    });
  }
});
