import { createConnection, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import mqtt, { connectAsync } from 'mqtt';
import { generate, type Packet, parser } from 'mqtt-packet';
import { AppError } from '../../../base/errors.ts';
import { MICROS_PER_DAY, MICROS_PER_SECOND } from '../../../base/instant.ts';
import { ConnectionLost } from '../../../db/timescale/connections/connection-lost.ts';
import { type Database, databaseOn } from '../../../db/timescale/connections/database.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { setLocating } from '../../../domain/administration/locating/set-locating.ts';
import { createReader } from '../../../domain/administration/readers/create-reader.ts';
import { setAntenna } from '../../../domain/administration/readers/set-antenna.ts';
import { LONGEST_TOPIC } from '../../../domain/administration/readers/topic.ts';
import { createRule } from '../../../domain/alerts/rules/create-rule.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import type { Deed, Login, Outcome } from './attack.ts';

/** Does it once; `turn` makes it another one each time. */
export function deedsOf(deed: Deed): (turn: number) => Promise<Outcome> {
  switch (deed.kind) {
    case 'sign in by names made up':
      return async (turn) => {
        const login = { username: `nobody-${turn}`, password: 'wrong', reconnectPeriod: 0 };
        const status = await connectAsync(deed.url, login).then(
          () => 'let in',
          () => 'refused',
        );
        return { status, retryAfter: 0 };
      };
    case 'set antennas': {
      const [db, { readerIds }] = [openDatabase(deed), deed];
      return async (turn) => {
        const readerId = readerIds[turn % readerIds.length] ?? 0;
        const antenna = { readerId, port: 1, locationExternalKey: 'LOC-0001' };
        await setAntenna(db, TEST_ACTOR, { ...antenna, minRssi: -40 - (turn % 30) });
        return { status: 'set', retryAfter: 0 };
      };
    }
    case 'set location settings': {
      const [db, { orgId }] = [openDatabase(deed), deed];
      return (turn) => {
        const locationExternalKey = `LOC-${String(1 + (turn % 200)).padStart(4, '0')}`;
        const wanted = {
          orgId,
          locationExternalKey,
          from: null,
          procedure: 'strength' as const,
          tagDbm: null,
        };
        const certainty = 1 + ((turn + Math.floor(turn / 200)) % 100) / 100;
        return outcomeOf('set', setLocating(db, TEST_ACTOR, { ...wanted, certainty }, { retention: 0 }));
      };
    }
    case 'register readers by long topics': {
      const [db, { orgId }, builtin] = [openDatabase(deed), deed, loadBuiltinFormats()];
      return (turn) => {
        const topic = isOdd(turn) ? longestTopic(turn) : `${'a/'.repeat(30_000)}${turn}`;
        const reader = { orgId, name: `long ${turn}`, topic, format: 'tagtrail', policies: {} };
        return outcomeOf('registered', createReader(db, TEST_ACTOR, builtin, reader));
      };
    }
    case 'use long topics':
      return (turn) => useLongTopics(deed.login, turn);
    case 'publish at QoS 2 and release nothing':
      return (turn) => releaseNothing(deed.login, turn);
    case 'make rules dated back': {
      const [db, { orgId }] = [openDatabase(deed), deed];
      return async (turn) => {
        const now = Date.now() * 1_000;
        const outcome = await outcomeOf(
          'made',
          createRule(db, TEST_ACTOR, now, {
            ...{ orgId, name: `back ${turn}`, locationExternalKey: 'LOC-0001' },
            ...{ validFrom: now - 30 * MICROS_PER_DAY, kind: 'dwell' as const },
            after: (60 + (turn % 10_000)) * MICROS_PER_SECOND,
          }),
        );
        return ['made', NO_CONNECTION].includes(outcome.status) ? outcome : new Promise(() => {});
      };
    }
  }
}

function openDatabase({ databaseUrl }: { databaseUrl: string }): Database {
  return databaseOn(createWritePool(databaseUrl, { max: 1 }));
}

const NO_CONNECTION = 'no connection';

/** @returns the code of what refuses it. */
async function outcomeOf(done: string, doing: Promise<unknown>): Promise<Outcome> {
  const status = await doing.then(
    () => done,
    (error) => {
      if (error instanceof AppError) {
        return error.code;
      }
      if (error instanceof ConnectionLost) {
        // Another would fail at once.
        return pause(1_000, NO_CONNECTION);
      }
      throw error;
    },
  );
  return { status, retryAfter: 0 };
}

/** In turn on each of four connections. */
function isOdd(turn: number): boolean {
  return Math.floor(turn / 4) % 2 === 1;
}

/** It differs from another one at its end only, so that comparing takes longest. */
function longestTopic(turn: number): string {
  const end = String(turn).padStart(16, '0');
  return `${`${'x'.repeat(15)}/`.repeat(31)}${end}`.slice(-LONGEST_TOPIC);
}

/** Subscribes to a filter of 60 kB and publishes on such a topic: of as many levels as can be, or few. */
function useLongTopics({ url, topic, ...login }: Login, turn: number): Promise<Outcome> {
  const long = isOdd(turn) ? 'a/'.repeat(30_000) : `${'a'.repeat(600)}/`.repeat(90);
  const client = mqtt.connect(url, { ...login, clientId: `long-${turn}`, reconnectPeriod: 0 });
  return new Promise((resolve) => {
    const end = (status: string) => {
      resolve({ status, retryAfter: 0 });
      client.end(true);
    };
    client.on('error', () => {});
    client.on('close', () => end('cut off'));
    client.subscribe(`${topic}/${long}#`, () => {});
    client.publish(`${topic}/${long}`, '[]', { qos: 1 }, (error) => {
      if (!error) {
        end('acknowledged');
      }
    });
  });
}

const PUBLISHES = 500;

/** As many bytes for each as its reader may send. */
const PAYLOAD = '[{"value":"E2800000000000000000","antenna":1}]'.padEnd(2_000);

/** They stay open as long as the attack. */
const unreleased = new Set<Socket>();

/** One session that is to be kept, of a client id that was not used before. */
function releaseNothing({ url, topic, username, password }: Login, turn: number): Promise<Outcome> {
  const socket = createConnection(Number(new URL(url).port), new URL(url).hostname);
  unreleased.add(socket);
  const login = { clientId: `never-${turn}`, username, password: Buffer.from(password) };
  const connect = { cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: false, keepalive: 0 };
  socket.write(generate({ ...connect, ...login } as Packet));
  for (let messageId = 1; messageId <= PUBLISHES; messageId++) {
    const publish = { topic, payload: PAYLOAD, dup: false, retain: false };
    socket.write(generate({ cmd: 'publish', qos: 2, messageId, ...publish }));
  }
  return new Promise((resolve) => {
    const reading = parser();
    let records = 0;
    reading.on('packet', ({ cmd }) => {
      records += Number(cmd === 'pubrec');
      if (records === PUBLISHES) {
        resolve({ status: `${PUBLISHES} recorded`, retryAfter: 0 });
      }
    });
    socket.on('data', (bytes) => reading.parse(bytes));
    socket.on('error', () => {});
    socket.on('close', () => {
      unreleased.delete(socket);
      resolve({ status: 'cut off', retryAfter: 0 });
    });
  });
}
