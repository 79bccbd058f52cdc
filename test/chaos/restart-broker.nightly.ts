import { statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import mqtt, { type MqttClient } from 'mqtt';
import type { Finding } from '../../domain/health/finding.ts';
import { runCommand } from '../support/command-line.ts';
import { type TestDatabase, useDatabase } from '../support/database.ts';
import { type Mosquitto, useMosquitto } from '../support/mosquitto.ts';
import { itByNight } from '../support/random-sets.ts';
import { Site } from '../support/site.ts';
import { until } from '../support/subscribed-ingest.ts';
import { IngestProgram } from './ingest-program.ts';

const READERS = 6;
/** So often readers try in vain while the broker is down: some seconds, after which ingestion tries seldom. */
const ATTEMPTS = 700;

describe('a broker that is restarted while readers publish', () => {
  const stops: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0).toReversed()) {
      await stop();
    }
  });

  async function prepare(
    database: TestDatabase,
    { url }: Mosquitto,
    { processes = 1, environment = {} as NodeJS.ProcessEnv } = {},
  ) {
    const site = await Site.create(database);
    await site.asset('PALLET', 'E2801160');
    const dock = await site.location('DOCK');
    for (let reader = 0; reader < READERS; reader++) {
      await site.reader(`reader-${reader}`, [dock], { topic: `site/${reader}` });
    }
    const programs = Array.from({ length: processes }, (_, index) =>
      IngestProgram.subscribed(url, `ingest-${index}`, { ...environment, DATABASE_URL: database.url }),
    );
    for (const program of programs) {
      stops.push(() => program.kill());
      await program.start();
    }
    await covered(programs);
    const readers = new Readers(url);
    stops.push(() => readers.end());
    return { programs, readers };
  }

  /** Whatever the broker keeps for an ordinary persistent session that is away until the end. */
  async function witness(url: string): Promise<() => Promise<Set<number>>> {
    const options = { clientId: 'witness', clean: false, protocolVersion: 4 } as const;
    const early = await mqtt.connectAsync(url, options);
    await early.subscribeAsync('site/#', { qos: 1 });
    await early.endAsync();
    return async () => {
      const seen = new Set<number>();
      const late = mqtt.connect(url, options);
      stops.push(() => late.endAsync(true));
      late.on('message', (_, payload) => seen.add(indexOf(JSON.parse(payload.toString()).observed_at)));
      const last = await publishLast(url);
      await until(() => last.every((index) => seen.has(index)));
      return seen;
    };
  }

  /** What each session hands over last: when it is stored, so is what came before it. */
  async function publishLast(url: string): Promise<number[]> {
    const client = await mqtt.connectAsync(url);
    const last = Array.from({ length: READERS }, (_, reader) => LAST + reader);
    await Promise.all(
      last.map((index, reader) => client.publishAsync(`site/${reader}`, payloadOf(index), { qos: 1 })),
    );
    await client.endAsync();
    return last;
  }

  async function stored(database: TestDatabase): Promise<Set<number>> {
    const rows = await database.rows<{ at: string }>(
      `select to_char(observed_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at from scan_events`,
    );
    return new Set(rows.map(({ at }) => indexOf(at)));
  }

  for (const { processes, isKilled, restarts } of [
    { processes: 1, isKilled: false, restarts: 1 },
    { processes: 2, isKilled: false, restarts: 2 },
    { processes: 1, isKilled: true, restarts: 1 },
    { processes: 2, isKilled: true, restarts: 2 },
  ]) {
    describe(`${isKilled ? 'killed' : 'in order'}, with ${processes} of ingestion by default settings`, () => {
      const broker = useMosquitto(() => ['autosave_interval 1']);
      const database = useDatabase();
      const savedAt = () =>
        statSync(join(broker.folder, 'mosquitto.db'), { throwIfNoEntry: false })?.mtimeMs ?? 0;

      // Each change is tried with one restart, in order, and with two kills.
      const test = isKilled === processes > 1 ? it : itByNight;
      test('costs no read that the broker acknowledged and kept', async () => {
        const { programs, readers } = await prepare(database, broker, { processes });
        const keptByBroker = await witness(broker.url);
        readers.start();
        for (let restart = 0; restart < restarts; restart++) {
          const [acknowledged, saved] = [readers.acknowledged.size, savedAt()];
          await until(() => readers.acknowledged.size > acknowledged + 200 && savedAt() > saved);
          await (isKilled ? broker.kill() : broker.stop());
          const { attempts } = readers;
          await until(() => readers.attempts > attempts + ATTEMPTS);
          await broker.start();
        }
        const { size } = readers.acknowledged;
        await until(() => readers.acknowledged.size > size + 200);
        await readers.finish();
        await covered(programs);
        const kept = await keptByBroker();
        await until(async () => {
          const all = await stored(database);
          return Array.from({ length: READERS }, (_, reader) => LAST + reader).every((each) => all.has(each));
        });
        const all = await stored(database);
        const missing = (from: Set<number>) => [...from].filter((index) => !all.has(index));
        expect(kept.size).to.be.above(READERS);
        expect(missing(kept)).to.deep.equal([]);
        if (!isKilled) {
          expect(missing(readers.acknowledged)).to.deep.equal([]);
        }
      });
    });
  }

  for (const { title, isPersistent, environment } of [
    { title: 'that keeps nothing', isPersistent: false, environment: {} },
    {
      title: 'that forgets shared subscriptions, which were asked for',
      isPersistent: true,
      environment: { MQTT_SHARED: 'on' },
    },
  ]) {
    describe(title, () => {
      const broker = useMosquitto(() => [`persistence ${isPersistent}`]);
      const database = useDatabase();

      it('is told of in the log, in a metric and by doctor', async () => {
        const { programs } = await prepare(database, broker, { environment });
        const [program] = programs as [IngestProgram];
        await until(async () => (await database.rows('select from broker_subscriptions')).length >= READERS);
        expect(await program.figure('session_lost_timestamp_seconds')).to.equal(0);
        await broker.stop();
        await broker.start();
        await program.said('Broker lost this session');
        await until(async () => (await program.figure('session_lost_timestamp_seconds')) > 1_700_000_000);
        await until(
          async () =>
            (await database.rows('select from broker_sessions where forgotten_at is not null')).length > 0,
        );
        const { stdout } = await runCommand(['doctor', '--json'], { DATABASE_URL: database.url });
        const { findings } = JSON.parse(stdout) as { findings: Finding[] };
        const finding = findings.find(({ check }) => check === 'sessions at the broker');
        expect(finding?.status).to.equal('warning');
        expect(finding?.message).to.include('has lost');
      });
    });
  }
});

/** Resolves when the programs together are subscribed to all readers. */
function covered(programs: readonly IngestProgram[]): Promise<void> {
  return until(async () => {
    const figures = await Promise.all(programs.map((program) => program.figure('subscriptions'))).catch(
      () => [],
    );
    return figures.reduce((sum, each) => sum + each, 0) >= READERS;
  });
}

/** Each publishes one message after another, keeps what is not acknowledged, and sends it again. */
class Readers {
  readonly acknowledged = new Set<number>();
  /** How often they tried to connect. */
  attempts = 0;
  readonly #clients: MqttClient[];
  #next = 0;
  #isFinished = false;
  #publishing: Promise<unknown> = Promise.resolve();

  constructor(url: string) {
    this.#clients = Array.from({ length: READERS }, (_, reader) => {
      const client = mqtt.connect(url, { clientId: `reader-${reader}`, clean: false, reconnectPeriod: 20 });
      client.on('error', () => {});
      client.on('reconnect', () => {
        this.attempts += 1;
      });
      return client;
    });
  }

  start(): void {
    this.#publishing = Promise.all(this.#clients.map((client, reader) => this.#publish(client, reader)));
  }

  /** Resolves when everything is acknowledged. */
  async finish(): Promise<void> {
    this.#isFinished = true;
    await this.#publishing;
  }

  async end(): Promise<void> {
    this.#isFinished = true;
    await Promise.all(this.#clients.map((client) => client.endAsync(true)));
  }

  async #publish(client: MqttClient, reader: number): Promise<void> {
    while (!this.#isFinished) {
      const index = this.#next++;
      try {
        await client.publishAsync(`site/${reader}`, payloadOf(index), { qos: 1 });
        this.acknowledged.add(index);
      } catch {
        // Given up by the library while it reconnects; its reads are never acknowledged.
      }
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
}

/** Greater than the index of any other message. */
const LAST = 10_000_000;
const BEGAN = Math.floor(Date.now() / 1_000) * 1_000 - 86_400_000;
const payloadOf = (index: number) =>
  JSON.stringify({ value: 'E2801160', observed_at: new Date(BEGAN + index).toISOString() });
const indexOf = (time: string) => Date.parse(time) - BEGAN;
