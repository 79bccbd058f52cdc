import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { requireDatabaseUrl } from '../../db/timescale/connections/database-url.ts';
import { inTransaction } from '../../db/timescale/connections/transaction.ts';
import type { TestDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { Link, type Observer } from '../support/link.ts';
import { STRENGTH, storeSettings } from '../support/location-settings.ts';
import type { Site } from '../support/site.ts';
import { until } from '../support/subscribed-ingest.ts';
import type { Broker } from './broker.ts';
import { BrokerProgram } from './broker-program.ts';
import { type Findings, findFaults } from './findings.ts';
import { FollowedFeed } from './followed-feed.ts';
import { furnish } from './furnish.ts';
import { IngestProgram } from './ingest-program.ts';
import { Publishers, type Sending } from './publishers.ts';
import { Pushers } from './pushers.ts';
import { Tap } from './tap.ts';
import { ToldWebhooks } from './told-webhooks.ts';
import type { Traffic } from './traffic.ts';
import { runnerOf, WorkerProgram } from './worker-program.ts';

export interface ScenarioOptions {
  /** `push` is over HTTP. */
  source: 'embedded' | 'mosquitto' | 'push';
  /** Instead of mosquitto, with `source` mosquitto; not started yet, and removed at the end. */
  broker?: Broker;
  /** Whether the processes of ingestion have shared subscriptions, or else take turns at the readers' sessions. */
  isShared?: boolean;
  traffic?: Partial<Traffic>;
  /** Whether assets are where they are heard loudest, or else wherever they are read. */
  isByStrength?: boolean;
  /** Of ingestion; several divide the readers, which takes mosquitto. */
  processes?: number;
  /** Of the readers, in seconds. */
  keepalive?: number;
  /** How many reads readers may be ahead of ingestion. */
  ahead?: number;
  /** Whether a consumer follows the move feed, at an API that is there for it. */
  isFollowed?: boolean;
  /** Whether webhooks tell of it, too. */
  isTold?: boolean;
  /** For ingestion. */
  environment?: NodeJS.ProcessEnv;
}

export interface SteadyLoad {
  /** How many messages were published that ingestion has not acknowledged. */
  behind(): number;
  /** Resolves when what was published is acknowledged to the readers. */
  stop(): Promise<void>;
}

/** Milliseconds until ingestion acknowledged something again. */
export interface Recovery {
  sinceKill: number;
  /** Since its new process was ready; negative if another one was first. */
  sinceReady: number;
}

interface Parts
  extends Pick<
    Scenario,
    | 'traffic'
    | 'site'
    | 'tap'
    | 'links'
    | 'ingest'
    | 'workers'
    | 'broker'
    | 'publishers'
    | 'feed'
    | 'webhooks'
  > {
  database: TestDatabase;
  /** In messages. */
  ahead: number;
  stops: AsyncDisposableStack;
  subscriptions: number;
}

/**
 * Readers that publish, ingestion as processes, and a network between any two that can fail, on a database of the
 * caller's. Faults are made by the caller while the readers publish; `finish` says what came of it.
 */
export class Scenario {
  readonly traffic: Traffic;
  readonly site: Site;
  readonly tap = new Tap();
  /**
   * Between readers and broker, broker and ingestion, ingestion and database; with the embedded broker the first two are
   * one. And between the API and the receiver of webhooks.
   */
  readonly links: { readers: Link; ingest: Link; database: Link; receiver?: Link };
  readonly ingest: IngestProgram[];
  /** Two, if somebody is told of what is recorded. */
  readonly workers: readonly WorkerProgram[];
  readonly broker: Broker | null;
  readonly publishers: Sending;
  readonly feed: FollowedFeed | null;
  readonly webhooks: ToldWebhooks | null;
  readonly #database: TestDatabase;
  readonly #ahead: number;
  readonly #stops: AsyncDisposableStack;
  /** Of all processes together. */
  readonly #subscriptions: number;
  /** Messages that the broker lost, which are never acknowledged: they must not hold up the readers. */
  #forgiven = 0;
  /** Resolves when there is more to forgive: what was lost is acknowledged by nobody, and readers may wait for that. */
  #forgiving = Promise.withResolvers<void>();
  /** The index of the next message. */
  #next = 0;
  #publishing: Promise<unknown> = Promise.resolve();
  #republished = 0;
  /** The last kill of each process: one that is being started again is not killed twice. */
  readonly #killing: Promise<unknown>[] = [];

  private constructor(parts: Parts) {
    this.traffic = parts.traffic;
    this.site = parts.site;
    this.tap = parts.tap;
    this.links = parts.links;
    this.ingest = parts.ingest;
    this.workers = parts.workers;
    this.broker = parts.broker;
    this.publishers = parts.publishers;
    this.feed = parts.feed;
    this.webhooks = parts.webhooks;
    this.#database = parts.database;
    this.#ahead = parts.ahead;
    this.#stops = parts.stops;
    this.#subscriptions = parts.subscriptions;
  }

  /** Resolves when everything runs and readers are connected. The caller calls `end`, also when the test failed. */
  static async start(database: TestDatabase, options: ScenarioOptions): Promise<Scenario> {
    await using stops = new AsyncDisposableStack();
    const traffic = { ...USUAL, start: (Date.now() - 5 * 86_400_000) * 1_000, ...options.traffic };
    const site = await furnish(database, traffic);
    if (options.isByStrength === true) {
      const byStrength = { locationId: null, validFrom: traffic.start, setting: STRENGTH };
      await storeSettings(database, site.orgId, [byStrength]);
    }
    const tap = new Tap();
    const network = async (server: { readonly port: number }, observe?: () => Observer) => {
      // Asked for each connection, as a cluster leads each to another node.
      const target = {
        host: '127.0.0.1',
        get port() {
          return server.port;
        },
      };
      const link = await Link.open(target, observe);
      stops.defer(() => link.close());
      return link;
    };
    const { addresses, first } = requireDatabaseUrl(database.url);
    const toDatabase = await network(addresses[0]);
    // Those of several servers are reached past the network, by addresses of their own.
    const DATABASE_URL = addresses.length === 1 ? toDatabase.by(first) : database.url;
    const environment = { ...options.environment, DATABASE_URL };
    const ingest: IngestProgram[] = [];
    const launch = async (program: IngestProgram) => {
      ingest.push(program);
      stops.defer(() => program.kill());
      await program.start();
    };
    const isTold = options.isTold === true;
    const isFollowed = options.isFollowed === true || isTold;
    const workers = Array.from({ length: isFollowed ? 2 : 0 }, () => new WorkerProgram(environment));
    for (const worker of workers) {
      stops.defer(() => worker.kill());
      await worker.startUntilReady();
    }
    let broker: Broker | null = null;
    let subscriptions = traffic.readers;
    let links: Scenario['links'];
    if (options.source !== 'mosquitto') {
      const port = await freePort();
      const isPush = options.source === 'push';
      await launch(
        isPush ? IngestProgram.pushed(port, environment) : IngestProgram.embedded(port, environment),
      );
      const link = await network({ port }, isPush ? undefined : () => tap.observe());
      links = { readers: link, ingest: link, database: toDatabase };
    } else {
      const connected = options.broker ?? (await BrokerProgram.prepare());
      stops.defer(() => connected.remove());
      await connected.start();
      broker = connected;
      const link = await network(connected, () => tap.observe());
      links = { readers: await network(connected), ingest: link, database: toDatabase };
      const url = link.by('mqtt://broker');
      const isShared = options.isShared === true;
      const programs = Array.from({ length: options.processes ?? 1 }, (_, process) =>
        IngestProgram.subscribed(url, `ingest-${process}`, {
          ...environment,
          ...(isShared ? { MQTT_SHARED: 'on' } : {}),
        }),
      );
      await Promise.all(programs.map(launch));
      subscriptions *= isShared ? programs.length : 1;
      await subscribed(programs, subscriptions);
    }
    const publishers =
      options.source === 'push'
        ? await Pushers.of(database, traffic, links.readers.port, tap)
        : await Publishers.connect(traffic, links.readers.port, options.keepalive ?? 60);
    stops.defer(() => publishers.end());
    let webhooks: ToldWebhooks | null = null;
    if (isTold) {
      webhooks = await ToldWebhooks.start(database, site.orgId);
      stops.defer(() => webhooks?.end());
      links.receiver = webhooks.link;
    }
    let feed: FollowedFeed | null = null;
    if (isFollowed) {
      feed = await FollowedFeed.start(database, site.orgId, environment, isTold ? 2 : 1);
      stops.defer(() => feed?.end());
    }
    webhooks?.attend(workers);
    const ahead = (options.ahead ?? Number.POSITIVE_INFINITY) / traffic.readsPerMessage;
    return new Scenario({
      traffic,
      site,
      tap,
      links,
      ingest,
      workers,
      broker,
      publishers,
      feed,
      webhooks,
      database,
      ahead,
      stops: stops.move(),
      subscriptions,
    });
  }

  /**
   * Publishes the next `count` messages, some of each reader's under way at once. Resolves when all are acknowledged
   * to the readers.
   */
  async publish(count = this.traffic.messages): Promise<void> {
    const { readers } = this.traffic;
    const next = Array.from({ length: readers }, (_, reader) => this.#next + reader);
    const end = this.#next + count;
    this.#next = end;
    const lane = async (reader: number) => {
      for (;;) {
        const index = next[reader] as number;
        if (index >= end) {
          return;
        }
        next[reader] = index + readers;
        while (this.publishers.published - this.#forgiven - this.tap.acknowledged.size > this.#ahead) {
          await Promise.race([this.tap.nextAcknowledgement(), this.#forgiving.promise]);
        }
        await this.publishers.publish(index);
      }
    };
    this.#publishing = Promise.all(Array.from({ length: LANES * readers }, (_, one) => lane(one % readers)));
    await this.#publishing;
  }

  /** Publishes so many messages a second, without waiting for any, until it is stopped. */
  publishSteadily(rate: number): SteadyLoad {
    const start = performance.now();
    const underWay: Promise<void>[] = [];
    const publishDue = () => {
      const due = Math.floor(((performance.now() - start) / 1_000) * rate);
      while (underWay.length < due) {
        underWay.push(this.publishers.publish(this.#next++));
      }
    };
    const timer = setInterval(publishDue, 20);
    return {
      behind: () => this.publishers.published - this.tap.acknowledged.size,
      stop: async () => {
        clearInterval(timer);
        await Promise.all(underWay);
      },
    };
  }

  /** Resolves when ingestion has acknowledged all that was acknowledged to the readers. */
  async caughtUp(): Promise<void> {
    while (this.publishers.acknowledged.size > this.tap.acknowledged.size) {
      await this.tap.nextAcknowledgement();
    }
  }

  /** Resolves when ingestion has acknowledged that share of the messages, or the broker may have lost them. */
  async reached(share: number): Promise<void> {
    const count = Math.floor(share * this.traffic.messages);
    while (this.tap.acknowledged.size + this.#forgiven < count) {
      await this.tap.nextAcknowledgement();
    }
  }

  /** Resolves when ingestion has acknowledged so many more messages. */
  async progressed(count: number): Promise<void> {
    const end = this.tap.acknowledged.size + count;
    while (this.tap.acknowledged.size < end) {
      await this.tap.nextAcknowledgement();
    }
  }

  /** Kills ingestion and starts it again. @returns null if others had done all there was to do. */
  async killIngest(process = 0): Promise<Recovery | null> {
    const before = this.#killing[process];
    const killed = Promise.resolve(before).then(() =>
      this.#killAndRestart(this.ingest[process] as IngestProgram),
    );
    this.#killing[process] = killed;
    return killed;
  }

  /** Kills the worker that gives the events of the feed their positions, and starts it again. */
  async killSealer(): Promise<void> {
    const sealer = await runnerOf(this.workers, 'seal-moves');
    await sealer.kill();
    await sealer.startUntilReady();
  }

  async #killAndRestart(program: IngestProgram): Promise<Recovery | null> {
    await program.kill();
    const killed = performance.now();
    const acknowledgement = this.tap.nextOnNewConnection().then(() => performance.now());
    await program.startUntilReady();
    const ready = performance.now();
    return this.#unlessOver(
      acknowledgement.then((at) => ({ sinceKill: at - killed, sinceReady: at - ready })),
    );
  }

  /** @returns milliseconds until something is acknowledged, or null if nothing is left to be. */
  async firstAcknowledgement(): Promise<number | null> {
    const since = performance.now();
    return this.#unlessOver(this.tap.nextAcknowledgement().then(() => performance.now() - since));
  }

  /** Kills the broker and starts it again with what it had saved; resolves when ingestion is back at it. */
  async killBroker(): Promise<void> {
    const before = await Promise.all(
      this.ingest.map(async (program) => ({
        kills: program.kills,
        connections: await connectionsOf(program),
      })),
    );
    await this.broker?.kill();
    await this.broker?.start();
    // A broker that had not saved the session drops what comes before ingestion has subscribed anew; what ingestion
    // says of its subscriptions is old until it has noticed.
    await Promise.all(
      this.ingest.map((program, index) => {
        const { kills, connections } = before[index] as (typeof before)[number];
        // One that was killed meanwhile counts from the beginning.
        return until(async () => program.kills > kills || (await connectionsOf(program)) > connections);
      }),
    );
    await this.forgive();
  }

  /** Kills the broker, and starts it again so many milliseconds later, whether ingestion has noticed or not. */
  async crashBroker(down: number): Promise<void> {
    await this.broker?.kill();
    await pause(down);
    await this.broker?.start();
    await this.forgive();
  }

  /** Goes on without what may have been lost. */
  async forgive(): Promise<void> {
    await subscribed(this.ingest, this.#subscriptions);
    this.#forgiven = this.publishers.published - this.tap.acknowledged.size;
    this.#forgiving.resolve();
    this.#forgiving = Promise.withResolvers();
  }

  /**
   * To be called when the readers have published everything and all is mended: sees to it that what the broker lost is
   * published again, and waits until ingestion has acknowledged all.
   *
   * @returns what is wrong with what is stored.
   */
  async finish(): Promise<Findings> {
    if (this.broker !== null) {
      this.#republished = await this.#republishLost();
    }
    await this.caughtUp();
    await this.feed?.caughtUp(this.#database);
    await this.webhooks?.caughtUp();
    for (const program of this.ingest) {
      await program.stop();
    }
    return inTransaction(this.#database.pool, (client) => this.findFaults(client));
  }

  /** What is wrong with what is stored, as `client` in its transaction sees it. */
  findFaults(client: ClientBase): Promise<Findings> {
    const { traffic, tap, publishers, feed, webhooks } = this;
    return findFaults(client, { traffic, tap, publishers, feed, webhooks, republished: this.#republished });
  }

  async end(): Promise<void> {
    await this.#stops.disposeAsync();
  }

  #unlessOver<Value>(value: Promise<Value>): Promise<Value | null> {
    const over = this.#publishing.then(async () => {
      while (this.publishers.acknowledged.size > this.tap.acknowledged.size + this.#forgiven) {
        await this.tap.nextAcknowledgement();
      }
      return null;
    });
    return Promise.race([value, over]);
  }

  /**
   * A broker hands over in order, and ingestion acknowledges in order: once what was published last is acknowledged,
   * whatever is not the broker has lost.
   *
   * @returns how many messages that were.
   */
  async #republishLost(): Promise<number> {
    await subscribed(this.ingest, this.#subscriptions);
    const last = Array.from({ length: LAST * this.ingest.length }, () => this.#next++);
    await Promise.all(last.map((index) => this.publishers.publish(index)));
    while (last.some((index) => !this.tap.acknowledged.has(index))) {
      await this.tap.nextAcknowledgement();
    }
    const lost = [...this.publishers.acknowledged].filter((index) => !this.tap.acknowledged.has(index));
    await Promise.all(lost.map((index) => this.publishers.publish(index)));
    return lost.length;
  }
}

const USUAL: Omit<Traffic, 'start'> = {
  seed: 1,
  readers: 4,
  assets: 200,
  messages: 400,
  readsPerMessage: 10,
  timelessEvery: 5,
  undecodableEvery: 100,
  refusedEvery: 300,
};

/** Messages of a reader that are under way at once. */
const LANES = 8;

/** Messages published last for each process, so that each process gets some. */
const LAST = 20;

/** Resolves when ingestion has so many subscriptions, however often it is killed meanwhile. */
function subscribed(programs: readonly IngestProgram[], expected: number): Promise<void> {
  return until(async () => {
    const figures = await Promise.all(
      programs.flatMap((program) => [program.figure('subscriptions'), program.figure('broker_connected')]),
    ).catch(() => []);
    const subscriptions = figures.filter((_, index) => index % 2 === 0).reduce((sum, each) => sum + each, 0);
    return subscriptions === expected && figures.every((each, index) => index % 2 === 0 || each === 1);
  });
}

function connectionsOf(program: IngestProgram): Promise<number> {
  return program.figure('broker_connections_total').catch(() => 0);
}
