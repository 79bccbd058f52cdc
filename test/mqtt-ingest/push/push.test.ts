import { once } from 'node:events';
import { connect } from 'node:net';
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import { startEmbeddedIngest } from '../../../services/mqtt-ingest/ingest.ts';
import { useDatabase } from '../../support/database.ts';
import { DISK_FULL, fullDiskUnder } from '../../support/full-disk.ts';
import { ingestConfig } from '../../support/ingest.ts';
import { Site } from '../../support/site.ts';
import { until } from '../../support/subscribed-ingest.ts';

const LIMITS = { SIGN_IN_FAILURES_PER_MINUTE: 20, READER_READS_PER_SECOND: 50 };

describe('readers that push over HTTP', () => {
  const database = useDatabase();
  const log = pino({ level: 'silent' });
  const lifecycle = new Lifecycle(log);
  const metrics = new Registry();
  let url = '';
  let site: Site;
  const ids = new Map<string, number>();

  before(async () => {
    site = await Site.create(database);
    const dock = await site.location('DOCK');
    await site.asset('PALLET', 'E2801160');
    for (const name of ['dock', 'gate', 'flood', 'eager', 'impinj', 'ruuvi']) {
      const formats: Record<string, string> = { impinj: 'impinj-r700', ruuvi: 'ruuvi-gateway' };
      const format = formats[name] ?? 'tagtrail';
      const topic = name === 'ruuvi' ? 'ruuvi/gateway/+' : name;
      ids.set(name, await site.reader(name, [dock], { format, topic }));
    }
    const config = { ...ingestConfig(database.url, 0, 0), ...LIMITS };
    const started = await startEmbeddedIngest(config, log, lifecycle, { metrics });
    url = started.pushUrl ?? '';
  });
  database.beforeDrop(() => lifecycle.stop());
  beforeEach(() => database.empty('scan_events'));

  const address = (name: string) => `${url}/readers/v1/${ids.get(name)}`;
  const basic = (name: string, password = name) => ({
    Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
  });
  const push = async (
    name: string,
    body: string | Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = basic(name),
    query = '',
  ) => {
    const answer = await fetch(address(name) + query, { method: 'POST', headers, body });
    return { status: answer.status, headers: answer.headers, body: JSON.parse(await answer.text()) };
  };
  const read = (rssi: number, observedAt?: string) =>
    JSON.stringify({ value: 'E2801160', rssi, observed_at: observedAt });
  const counted = async (name: string) =>
    (
      await database.rows<{ messages_rejected: number }>(
        'select messages_rejected::integer from reader_counters where reader_id = $1',
        [ids.get(name)],
      )
    )[0] ?? { messages_rejected: 0 };
  const count = async () => (await database.rows('select from scan_events')).length;

  it('records what is pushed with the login of the reader, and says what became of it', async () => {
    const times = [2, 1].map((seconds) => new Date(Date.now() - seconds * 1_000).toISOString());
    const reads = `[${times.map((time) => read(-50, time))},{"value":"E280FFFF"},{"value":""}]`;
    const { status, body } = await push('dock', reads);
    const counts = {
      ...{ reads: 4, recorded: 2, duplicates: 0, unknown: 1, unplaced: 0, rejected: 1, ignored: 0 },
      messages_rejected: 0,
    };
    expect({ status, body }).to.deep.equal({ status: 200, body: { data: counts } });
    expect(await count()).to.equal(2);
    const [stored] = await database.rows(
      'select messages, recorded from reader_counters where reader_id = $1',
      [ids.get('dock')],
    );
    expect(stored).to.deep.equal({ messages: 1, recorded: 2 });
  });

  it('takes the password alone as a bearer token, an array of a webhook, and compressed bodies', async () => {
    const events = [-5_000, -6_000].map((peakRssiCdbm, at) => ({
      timestamp: new Date(Date.now() - at * 1_000).toISOString(),
      eventType: 'tagInventory',
      tagInventoryEvent: {
        epc: Buffer.from('E2801160', 'hex').toString('base64url'),
        antennaPort: 1,
        peakRssiCdbm,
      },
    }));
    const gzipped = gzipSync(JSON.stringify(events));
    const headers = { Authorization: 'Bearer impinj', 'Content-Encoding': 'gzip' };
    const { status, body } = await push('impinj', gzipped, headers);
    expect([status, body.data.recorded]).to.deep.equal([200, 2]);
    const { body: again } = await push('impinj', JSON.stringify(events), { Authorization: 'Bearer impinj' });
    expect(again.data).to.include({ recorded: 0, duplicates: 2 });
  });

  it('answers 200 for a body that cannot be decoded, which is kept as rejected', async () => {
    const { status, body } = await push('dock', 'no JSON');
    expect([status, body.data.reads, body.data.messages_rejected]).to.deep.equal([200, 0, 1]);
    const rejected = await database.rows("select from rejected_messages where payload = 'no JSON'");
    expect(rejected.length).to.equal(1);
  });

  it('finds the asset of a scanned GS1 code, with FNC1 between its elements, by its other notations', async () => {
    await site.asset('DRUM', '(01)09524000059109(21)ABC', 'barcode');
    const codes = [
      '010952400005910921ABC\u001d10LOT',
      '010952400005910921ABC\u0000',
      ']C1010952400005910910LOT\u001d21ABC',
    ];
    for (const value of codes) {
      const { body } = await push('dock', JSON.stringify({ tag_type: 'barcode', value }));
      expect(body.data, value).to.include({ reads: 1, recorded: 1 });
    }
    const { body } = await push('dock', JSON.stringify({ tag_type: 'rfid', value: 'E280\u001d1160' }));
    expect(body.data).to.include({ reads: 1, rejected: 1 });
  });

  it('records a message once that is sent again with its key, though its reads have no times', async () => {
    for (const key of ['Idempotency-Key', 'ce-id']) {
      const pushed = async (value: string) =>
        (await push('dock', read(-61), { ...basic('dock'), [key]: `${key} ${value}` })).body.data.recorded;
      expect([await pushed('one'), await pushed('one'), await pushed('other')]).to.deep.equal([1, 0, 1]);
    }
  });

  it('wants the topic of a reader that has several, and no other reader’s', async () => {
    const message = '{"gw_mac":"DE:AD:BE:EF:00:01","rssi":-82,"ts":"1659365222","data":"0201"}';
    const pushed = (query: string) => push('ruuvi', message, basic('ruuvi'), query);
    const without = (await pushed('')).body.error.fields[0];
    expect(without.code).to.equal('required');
    expect(without.message).to.include('or register it with one topic');
    expect((await pushed('?topic=dock')).body.error.fields[0].message).to.match(/ruuvi\/gateway\/\+/);
    const { status, body } = await pushed('?topic=ruuvi/gateway/C30000250001&event=up');
    expect([status, body.data]).to.deep.equal([
      200,
      {
        ...{ reads: 1, recorded: 0, duplicates: 0, unknown: 1, unplaced: 0, rejected: 0, ignored: 0 },
        messages_rejected: 0,
      },
    ]);
  });

  it('refuses a wrong login and the login of another reader, and lets in who is right all the while', async () => {
    const wrong = await push('dock', '[]', basic('dock', 'wrong'));
    expect(wrong.status).to.equal(401);
    expect(wrong.headers.get('www-authenticate')).to.match(/^Basic realm/);
    const others = await push('gate', '[]', basic('dock'));
    expect([others.status, others.body.error.detail]).to.deep.equal([
      401,
      `This login belongs to another reader: push to /readers/v1/${ids.get('dock')}`,
    ]);
    const unknown = await fetch(`${url}/readers/v1/2000000000`, {
      ...{ method: 'POST', headers: basic('nobody'), body: '[]' },
    });
    expect(unknown.status).to.equal(401);
    const attempts = Array.from({ length: 40 }, () => push('dock', '[]', basic('dock', 'guess')));
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    expect(new Set(statuses)).to.deep.equal(new Set([401, 429]));
    expect((await push('dock', '[]')).status).to.equal(200);
  });

  it('serves no health, metrics or other methods', async () => {
    const statuses = ['/healthz', '/metrics', '/'].map(async (path) => (await fetch(url + path)).status);
    expect(await Promise.all(statuses)).to.deep.equal([404, 404, 404]);
    expect((await fetch(address('dock'))).status).to.equal(405);
  });

  it('refuses bodies of over 1 MiB, also once they are unpacked', async () => {
    const large = Buffer.alloc(1_048_577, ' ');
    expect((await push('dock', large)).status).to.equal(413);
    const packed = { ...basic('dock'), 'Content-Encoding': 'gzip' };
    expect((await push('dock', gzipSync(large), packed)).status).to.equal(413);
  });

  it('counts and keeps what it refuses of a reader, as of one over MQTT', async () => {
    await database.empty('rejected_messages');
    const packed = { ...basic('gate'), 'Content-Encoding': 'gzip' };
    const { messages_rejected: before = 0 } = await counted('gate');
    expect((await push('gate', 'not packed', packed)).status).to.equal(400);
    expect((await push('gate', 'strange', { ...packed, 'Content-Encoding': 'br' })).status).to.equal(415);
    expect((await push('gate', '[]', basic('gate'), '?topic=dock')).status).to.equal(400);
    expect((await push('gate', Buffer.alloc(1_200_000, 'x'))).status).to.equal(413);
    expect((await counted('gate')).messages_rejected).to.equal(before + 4);
    const kept = await database.rows(
      `select left(convert_from(payload, 'UTF8'), 10) as payload, length(payload) as kept, bytes::integer, reason
       from rejected_messages order by id`,
    );
    const whole = (bytes: number) => ({ kept: bytes, bytes });
    expect(kept).to.deep.equal([
      {
        payload: 'not packed',
        ...whole(10),
        reason: 'Request body is not compressed as its Content-Encoding says',
      },
      { payload: 'strange', ...whole(7), reason: 'Content-Encoding must be gzip or deflate, or left out' },
      { payload: '[]', ...whole(2), reason: 'topic must be a topic of the reader, whose topics are gate' },
      {
        ...{ payload: 'xxxxxxxxxx', kept: 65_536, bytes: 1_200_000 },
        reason: 'Request body must be at most 1048576 bytes',
      },
    ]);
  });

  it('takes deflate with and without the header of zlib', async () => {
    const headers = { ...basic('dock'), 'Content-Encoding': 'deflate' };
    for (const pack of [deflateSync, deflateRawSync]) {
      const { status, body } = await push('dock', new Uint8Array(pack(read(-50))), headers);
      expect([status, body.data?.reads]).to.deep.equal([200, 1]);
    }
    expect((await push('dock', 'neither', headers)).status).to.equal(400);
  });

  it('refuses a login at the head of a request, before its body has come', async () => {
    const login = `Authorization: ${basic('dock', 'wrong').Authorization}`;
    for (const body of [
      'Content-Length: 100000\r\n\r\n',
      'Content-Length: 100000\r\n\r\n[',
      'Content-Length: 100000\r\nConnection: close\r\n\r\n[',
      'Transfer-Encoding: chunked\r\n\r\n1\r\n[\r\n',
    ]) {
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.write(`POST /readers/v1/${ids.get('dock')} HTTP/1.1\r\nHost: x\r\n${login}\r\n${body}`);
      const [answer] = await once(socket, 'data');
      expect(String(answer)).to.match(/^HTTP\/1.1 4(01|29) [\s\S]*"status":4(01|29)/);
      socket.destroy();
    }
  });

  it('tells a reader over its rate when to come again, and others nothing', async () => {
    const many = `[${Array.from({ length: 9_000 }, () => '{"value":"E280FFFE"}').join()}]`;
    expect((await push('flood', many)).status).to.equal(200);
    const { status, headers } = await push('flood', '[]');
    expect(status).to.equal(429);
    expect(Number(headers.get('retry-after'))).to.be.within(1, 180);
    expect((await push('gate', '[]')).status).to.equal(200);
  });

  it('counts what it refuses of a reader over its rate, with its next message', async () => {
    const some = `[${Array.from({ length: 75 }, () => '{"value":"E280FFFE"}').join()}]`;
    const statuses: number[] = [];
    await until(async () => {
      statuses.push((await push('eager', some)).status);
      return statuses.includes(429) && statuses.at(-1) === 200;
    });
    const counts = await database.rows(
      'select pushes_refused::integer from reader_flaws where reader_id = $1',
      [ids.get('eager')],
    );
    expect(counts).to.deep.equal([{ pushes_refused: statuses.filter((status) => status === 429).length }]);
  });

  it('answers 503 while nothing can be recorded, and 200 for what it has taken once it is recorded', async () => {
    await database.rows(DISK_FULL);
    await database.rows(fullDiskUnder('scan_events'));
    const taken = push('gate', read(-1));
    await until(async () => (await push('dock', '[]')).status === 503);
    const { headers } = await push('dock', read(-2));
    await database.rows('drop function disk_full cascade');
    expect([(await taken).status, headers.get('retry-after')]).to.deep.equal([200, '5']);
    await until(async () => (await push('dock', '[]')).status === 200);
    expect(await count()).to.equal(1);
  });

  it('lets others in while hundreds of connections send nothing more of what they began', async () => {
    const slow = await begin(200, 1_000_000);
    expect((await push('dock', '[]')).status).to.equal(200);
    expect((await push('dock', `${' '.repeat(900_000)}[]`)).status).to.equal(200);
    for (const socket of slow) {
      socket.destroy();
    }
  });

  it('has room for a body beside many that are over the limit, of which it keeps the beginning', async () => {
    const slow = await begin(150, 2_000_000);
    expect((await push('gate', `${' '.repeat(900_000)}[]`)).status).to.equal(200);
    for (const socket of slow) {
      socket.destroy();
    }
  });

  it('takes compressed messages of a few bytes while its organization has room for no more large ones', async () => {
    const slow = [...(await begin(12, 1_048_576)), ...(await begin(12, 1_048_576, 'ruuvi'))];
    let givenUp = 0;
    for (const socket of slow) {
      socket.on('data', () => {
        givenUp += 1;
      });
    }
    const packed = { ...basic('dock'), 'Content-Encoding': 'gzip' };
    for (let each = 0; each < 20; each++) {
      expect((await push('dock', gzipSync(' []'), packed)).status).to.equal(200);
    }
    // None had to make room.
    expect(givenUp).to.equal(0);
    const { status, body } = await push('dock', gzipSync(`${' '.repeat(900_000)}[]`), packed);
    expect([status, body.data.reads]).to.deep.equal([200, 0]);
    for (const socket of slow) {
      socket.destroy();
    }
  });

  /** Bodies of a reader of which one byte comes. */
  async function begin(count: number, announced: number, name = 'gate') {
    const { port } = new URL(url);
    const login = `Host: x\r\nAuthorization: ${basic(name).Authorization}`;
    const sockets = Array.from({ length: count }, () => connect(Number(port), '127.0.0.1'));
    for (const socket of sockets) {
      socket.on('error', () => {});
      await once(socket, 'connect');
      socket.write(
        `POST /readers/v1/${ids.get(name)} HTTP/1.1\r\n${login}\r\nContent-Length: ${announced}\r\n\r\n[`,
      );
    }
    return sockets;
  }

  it('counts its requests by status', async () => {
    const text = await metrics.metrics();
    expect(text).to.match(/^tagtrail_push_requests_total\{status="200"\} \d+$/m);
    expect(text).to.match(/^tagtrail_push_held_messages 0$/m);
  });
});
