import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { MqttClient } from 'mqtt';
import { freePort } from '../../db/timescale/free-port.ts';
import { useDatabase } from '../support/database.ts';
import { connected, connectReader, FlaggingStore } from '../support/ingest.ts';
import { Site } from '../support/site.ts';

const KILLS = 20;
const MESSAGES = 400;
const READS_A_MESSAGE = 50;

describe("ingestion killed in the middle of a reader's publishes", function () {
  this.timeout(180_000);
  const database = useDatabase();
  let port: number;
  let ingest: ChildProcess;

  before(async () => {
    const site = await Site.create(database);
    await site.reader('portal', [await site.location('DOCK'), await site.location('YARD')]);
    for (let tag = 0; tag < READS_A_MESSAGE; tag++) {
      await site.asset(`PALLET-${tag}`, tagOf(tag));
    }
    port = await freePort();
    ingest = await start(database.url, port);
  });
  database.beforeDrop(() => kill(ingest));

  it(`has every acknowledged read once: ${KILLS} kills over ${MESSAGES * READS_A_MESSAGE} reads`, async () => {
    const reader = connectReader(port, 'portal', {
      clean: false,
      reconnectPeriod: 50,
      outgoingStore: new FlaggingStore(),
      connectTimeout: 2_000,
    });
    reader.on('error', () => {});
    await connected(reader);
    const acknowledged = new Set<number>();
    let killed = 0;
    const publishAll = publishInWindow(reader, (message) => acknowledged.add(message));
    const killNow = async () => {
      await kill(ingest);
      killed++;
      ingest = await start(database.url, port);
    };
    // The next kill comes when a share of the messages has been acknowledged, at a random moment after that.
    for (let kills = 0; kills < KILLS; kills++) {
      await until(() => acknowledged.size >= (kills * MESSAGES) / (KILLS + 1));
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 30));
      await killNow();
    }
    await publishAll;
    await reader.endAsync();

    const [stored] = await database.rows(
      `select count(*) as rows, count(distinct rssi) as reads, count(*) filter (where time_is_received) as timeless
       from scan_events`,
    );
    expect({ killed, acknowledged: acknowledged.size }).to.deep.equal({
      killed: KILLS,
      acknowledged: MESSAGES,
    });
    const reads = MESSAGES * READS_A_MESSAGE;
    expect(stored).to.deep.equal({ rows: reads, reads, timeless: reads / 2 });
  });
});

const STARTED = Date.now();
const tagOf = (tag: number) => `E28011${String(tag).padStart(4, '0')}`;

/**
 * Every other message without times, the others each with a time of its own. Each read has an RSSI of its own, by
 * which it is known in the database.
 */
function payloadOf(message: number): string {
  const time = message % 2 === 0 ? {} : { observed_at: new Date(STARTED - message).toISOString() };
  return JSON.stringify(
    Array.from({ length: READS_A_MESSAGE }, (_, tag) => ({
      value: tagOf(tag),
      antenna: 1 + ((message >> 2) % 2),
      rssi: -(1 + message * READS_A_MESSAGE + tag) / 1_000,
      ...time,
    })),
  );
}

/** Publishes every message at QoS 1, some under way at once as a reader does, and tells of each acknowledgement. */
async function publishInWindow(reader: MqttClient, onAcknowledged: (message: number) => void): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < MESSAGES) {
      const message = next++;
      await reader.publishAsync('portal', payloadOf(message), { qos: 1 });
      onAcknowledged(message);
    }
  };
  await Promise.all(Array.from({ length: 8 }, lane));
}

async function start(url: string, port: number): Promise<ChildProcess> {
  const program = fileURLToPath(new URL('ingest-process.ts', import.meta.url));
  const child = spawn(process.execPath, [program, url, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    if (line === 'ready') {
      return child;
    }
  }
  throw new Error('ingestion did not start');
}

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (child !== undefined && child.exitCode === null && child.signalCode === null) {
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
