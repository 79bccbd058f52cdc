import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { setWebhook } from '../../domain/webhooks/set-webhook.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import type { TestDatabase } from '../support/database.ts';
import { Link } from '../support/link.ts';
import { until } from '../support/subscribed-ingest.ts';
import { newWebhook, SETTINGS } from '../support/webhooks.ts';
import { type DeliveryFaults, findDeliveryFaults } from './find-delivery-faults.ts';
import { ReceiverProgram } from './receiver-program.ts';
import type { WorkerProgram } from './worker-program.ts';

/** Seconds until a retry that are not worth waiting for: the first step of the ladder, with its jitter, is less. */
const LONG = 10;

/** Milliseconds. */
const LOOK = 100;

/**
 * Two webhooks of an organization, so that two processes have one each: `/all`, and `/corrected` of corrections only.
 * Both lead to one receiver, by a network that can fail.
 */
export class ToldWebhooks {
  readonly receiver: ReceiverProgram;
  readonly link: Link;
  readonly #database: TestDatabase;
  readonly #ids: readonly number[];
  #isEnded = false;
  #attending: Promise<void> = Promise.resolve();

  private constructor(
    database: TestDatabase,
    parts: { receiver: ReceiverProgram; link: Link; ids: readonly number[] },
  ) {
    this.#database = database;
    this.receiver = parts.receiver;
    this.link = parts.link;
    this.#ids = parts.ids;
  }

  static async start(database: TestDatabase, orgId: number): Promise<ToldWebhooks> {
    const receiver = await ReceiverProgram.prepare();
    await receiver.start();
    const link = await Link.open({ host: '127.0.0.1', port: receiver.port });
    const url = (path: string) => `http://127.0.0.1:${link.port}${path}`;
    const all = await newWebhook(database, { orgId, url: url('/all') });
    const corrected = await newWebhook(database, {
      orgId,
      url: url('/corrected'),
      types: ['tagtrail.history.corrected.v1'],
    });
    return new ToldWebhooks(database, { receiver, link, ids: [all.id, corrected.id] });
  }

  /**
   * Does from now on what an operator would do who is told that the receiver is mended: where lanes would wait for minutes,
   * because it was away at their second attempt as well, pauses the webhooks and switches them on again.
   */
  attend(workers: readonly WorkerProgram[]): void {
    const attend = async () => {
      while (!this.#isEnded) {
        // While the database restarts there is nothing to be done; what was begun is done the next time.
        await this.#help(workers).catch(() => {});
        await pause(LOOK);
      }
    };
    this.#attending = attend();
  }

  /** Resolves when all that is sealed is delivered. */
  async caughtUp(): Promise<void> {
    while ((await this.#lanes()).behind > 0) {
      await pause(LOOK);
    }
  }

  async findFaults(client: ClientBase): Promise<DeliveryFaults> {
    const { rows } = await client.query<{ position: number; kind: string }>(
      'select position::int4, kind from moves',
    );
    const positions = (wanted: typeof rows) => new Set(wanted.map(({ position }) => position));
    return findDeliveryFaults(
      new Map([
        ['/all', positions(rows)],
        ['/corrected', positions(rows.filter(({ kind }) => kind === 'corrected'))],
      ]),
      this.receiver.arrived(),
    );
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    await this.#attending;
    await this.link.close();
    await this.receiver.remove();
  }

  async #help(workers: readonly WorkerProgram[]): Promise<void> {
    const { waiting, paused } = await this.#lanes();
    if (waiting + paused > 0) {
      await this.#set('paused');
      // Of a process that is being killed the next one holds nothing.
      const held = () => Promise.all(workers.map((worker) => worker.held().catch(() => 0)));
      await until(async () => (await held()).every((count) => count === 0));
      await this.#set('on');
    }
  }

  async #lanes(): Promise<{ behind: number; waiting: number; paused: number }> {
    const [lanes] = await this.#database.rows<{ behind: number; waiting: number; paused: number }>(LANES, [
      LONG,
    ]);
    return lanes ?? { behind: 0, waiting: 0, paused: 0 };
  }

  async #set(state: 'on' | 'paused'): Promise<void> {
    const db = databaseOn(this.#database.pool);
    for (const id of this.#ids) {
      await setWebhook(db, TEST_ACTOR, SETTINGS, { orgId: null, id }, { state });
    }
  }
}

const LANES = `select count(*) filter (where lane.position < feed.head)::int4 as behind,
    count(*) filter (where due_at > clock_timestamp() + make_interval(secs => $1::float8))::int4 as waiting,
    count(*) filter (where webhook.state = 'paused')::int4 as paused
  from webhook_lanes lane
  join webhooks webhook on webhook.org_id = lane.org_id and webhook.id = lane.webhook_id
  join move_heads feed on feed.org_id = lane.org_id`;
