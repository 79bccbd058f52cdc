import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'chai';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createHandheld } from '../../domain/administration/handhelds/create-handheld.ts';
import { ROOM } from '../../platform/http/body-room-bounds.ts';
import { BODY_LIMIT } from '../../platform/http/read-body.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { useGateway } from '../support/gateway.ts';
import { aScan, aSubmission } from '../support/new-submission.ts';
import { Site } from '../support/site.ts';
import { until } from '../support/subscribed-ingest.ts';

/** Connections of one handheld; and their bodies, without the last bytes. */
const MANY = 120;
const MOST_OF_IT = Buffer.alloc(BODY_LIMIT - 10, 'a');

describe('bodies that are begun and not ended', () => {
  const gateway = useGateway();
  let other: string;
  const sockets: Socket[] = [];
  before(async () => {
    const { orgId } = await Site.create(gateway.database, 'Other');
    other = (await createHandheld(databaseOn(gateway.database.pool), TEST_ACTOR, { orgId, name: 'gun' }))
      .token;
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) {
      socket.destroy();
    }
  });

  const open = (length: number, token = gateway.token) => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    socket.write(
      `POST /handheld/v1/submissions HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
    );
    return socket;
  };
  /** What comes back until the other side ends, which only who was heard gets to know. */
  const answerOf = async (socket: Socket) => {
    const received: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => received.push(bytes));
    await once(socket, 'end');
    return Buffer.concat(received).toString();
  };
  const metric = async (name: string) => {
    const text = await (await fetch(`${gateway.url}/metrics`)).text();
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
  };
  const large = (token: string) => {
    const scans = Array.from({ length: 1_000 }, (_, at) => aScan(`${at}`.padStart(200, 'E')));
    return gateway.submit(aSubmission(scans), { token });
  };

  it('take a bounded room, keep nobody else out, and are told to come again', async () => {
    const before = process.memoryUsage().arrayBuffers;
    const answers = Array.from({ length: MANY }, () => {
      const socket = open(BODY_LIMIT);
      socket.write(MOST_OF_IT);
      return answerOf(socket);
    });
    const first = Promise.race(answers);
    // Until one handheld has all that one may have.
    await until(async () => (await metric('tagtrail_http_bodies_bytes')) >= ROOM.perCaller);
    expect(await metric('tagtrail_http_bodies_bytes')).to.equal(ROOM.perCaller);
    expect((await large(other)).status).to.equal(201);
    const same = await createHandheld(databaseOn(gateway.database.pool), TEST_ACTOR, {
      orgId: gateway.site.orgId,
      name: 'second',
    });
    expect((await large(same.token)).status).to.equal(201);
    // Of the same handheld a submission of every day needs no room.
    expect((await gateway.submit(aSubmission([aScan('E2')]))).status).to.equal(201);
    const grown = process.memoryUsage().arrayBuffers - before;
    expect(grown / (MANY * BODY_LIMIT)).to.be.lessThan(0.5);
    const [head = '', body = ''] = (await first).split('\r\n\r\n');
    expect(head)
      .to.match(/^HTTP\/1\.1 503 Service Unavailable\r\n/)
      .and.to.match(/\r\nRetry-After: 5\r\n/)
      .and.to.match(/\r\nConnection: close/);
    expect(JSON.parse(body).error).to.include({
      type: 'unavailable',
      status: 503,
      instance: '/handheld/v1/submissions',
    });
    expect(await metric('tagtrail_http_bodies_refused_total\\{why="stalled"\\}')).to.be.at.least(1);
  });

  it('give way to a body of the same handheld that does come', async () => {
    for (let at = 0; at < ROOM.perCaller / BODY_LIMIT; at++) {
      open(BODY_LIMIT).write(MOST_OF_IT);
    }
    // Until they have all the room there is for it.
    await until(async () => (await metric('tagtrail_http_bodies_bytes')) >= ROOM.perCaller);
    expect((await large(gateway.token)).status).to.equal(201);
  });

  it('give way, however steadily they come, to another organization than those that hold all the room', async () => {
    const handhelds = async (name: string) => {
      const { orgId } = await Site.create(gateway.database, name);
      return [
        await createHandheld(databaseOn(gateway.database.pool), TEST_ACTOR, { orgId, name: 'first' }),
        await createHandheld(databaseOn(gateway.database.pool), TEST_ACTOR, { orgId, name: 'second' }),
      ];
    };
    const trickles = [...(await handhelds('Slow')), ...(await handhelds('Slower'))].flatMap(({ token }) =>
      Array.from({ length: ROOM.perCaller / BODY_LIMIT }, () => open(BODY_LIMIT, token)),
    );
    const trickling = setInterval(() => {
      for (const socket of trickles) {
        socket.write(Buffer.alloc(4_096, 'a'));
      }
    }, 500);
    try {
      // Until they have all the room there is.
      await until(async () => (await metric('tagtrail_http_bodies_bytes')) >= ROOM.total);
      expect((await large(other)).status).to.equal(201);
    } finally {
      clearInterval(trickling);
    }
  });

  it('are waited for where nobody else wants the room', async () => {
    const text = Buffer.from(JSON.stringify(aSubmission(Array.from({ length: 400 }, () => aScan('E2FF')))));
    const socket = open(text.length);
    const received = once(socket, 'data');
    socket.write(text.subarray(0, 20_000));
    await metric('tagtrail_http_bodies_bytes');
    socket.write(text.subarray(20_000));
    expect(String((await received)[0])).to.match(/^HTTP\/1\.1 201 /);
    expect(await metric('tagtrail_http_bodies_bytes')).to.equal(0);
  });
});
