import type { MqttClient } from 'mqtt';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createRule } from '../../domain/alerts/rules/create-rule.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import type { TestDatabase } from '../support/database.ts';
import { freePort } from '../support/free-port.ts';
import { connectReader } from '../support/ingest.ts';
import { sealAll } from '../support/seal-all.ts';
import { Site } from '../support/site.ts';
import { until } from '../support/subscribed-ingest.ts';
import { findAlertFaults, findToldFaults, type Watched } from './find-alert-faults.ts';
import { IngestProgram } from './ingest-program.ts';
import { runnerOf, WorkerProgram } from './worker-program.ts';

const SECOND = 1_000_000;

/** Turns in which what is known must have been derived. */
const SETTLED_AFTER = 10;

/**
 * A reader that reads two assets all the time, until one is taken away, two processes of ingestion, and two workers, one of
 * which derives alerts. One process of ingestion has the reader's broker; the other watches on when that one is killed.
 */
export class AlertingSite {
  readonly #database: TestDatabase;
  readonly #watched: Watched;
  readonly #workers: readonly WorkerProgram[];
  readonly #broker: IngestProgram;
  readonly #client: MqttClient;
  readonly #publishing: NodeJS.Timeout;
  #isThere = true;

  private constructor(
    database: TestDatabase,
    watched: Watched,
    { workers, broker, port }: { workers: readonly WorkerProgram[]; broker: IngestProgram; port: number },
  ) {
    this.#database = database;
    this.#watched = watched;
    this.#workers = workers;
    this.#broker = broker;
    this.#client = connectReader(port, 'gate', { reconnectPeriod: 100 });
    this.#client.on('error', () => {});
    this.#publishing = setInterval(() => this.#publish(), 100);
    database.beforeDrop(() => this.#endTraffic());
  }

  static async start(database: TestDatabase): Promise<AlertingSite> {
    const site = await Site.create(database);
    const { orgId } = site;
    const yard = await site.location('YARD');
    const readerIds = [await site.reader('gate', [yard])];
    const assetIds = [await site.asset('STAYS', 'E280A'), await site.asset('GOES', 'E280B')];
    await database.rows(
      `insert into reader_expectations (org_id, reader_id, origin, valid_from, seconds)
       values ($1, $2, 'set', now() - interval '1 day', 15)`,
      [orgId, readerIds[0]],
    );
    await database.rows(
      `insert into location_watches (org_id, location_id, valid_from, mode, max_gap_seconds, is_learned, coverage)
       values ($1, $2, now() - interval '1 day', 'continuous', 1, false, 'all')`,
      [orgId, yard],
    );
    const since = Date.now() * 1_000;
    for (const rule of [{ kind: 'overdue', after: 2 * SECOND } as const, { kind: 'reader' } as const]) {
      await createRule(databaseOn(database.pool), TEST_ACTOR, since, { orgId, validFrom: since, ...rule });
    }
    const [other, port] = [await freePort(), await freePort()];
    const witness = IngestProgram.embedded(other, { DATABASE_URL: database.url });
    await witness.start();
    database.beforeDrop(() => witness.kill());
    const workers = [1, 2].map(() => new WorkerProgram({ DATABASE_URL: database.url }));
    const broker = IngestProgram.embedded(port, { DATABASE_URL: database.url });
    database.beforeDrop(() => Promise.all(workers.map((worker) => worker.kill())));
    await Promise.all(workers.map((worker) => worker.startUntilReady()));
    const started = new AlertingSite(
      database,
      { orgId, assetIds, readerIds, since },
      { workers, broker, port },
    );
    await until(async () => (await started.#lastTurn()) !== undefined);
    database.beforeDrop(() => broker.kill());
    await broker.start();
    await until(
      async () => (await database.rows('select from positions where last_seen is not null')).length === 2,
    );
    return started;
  }

  /**
   * In the end everything is as it was.
   *
   * @param pause before each kill.
   */
  async takeAwayAndKill(pause: () => Promise<void> = async () => {}): Promise<void> {
    this.#isThere = false;
    await pause();
    const deriver = await runnerOf(this.#workers, 'derive-alerts');
    await deriver.kill();
    await until(async () => (await this.#open('overdue')) > 0);
    await deriver.startUntilReady();
    this.#isThere = true;
    await pause();
    await this.#broker.kill();
    await until(async () => (await this.#open('reader')) > 0);
    await this.#broker.startUntilReady();
    await until(async () => (await this.#open('overdue')) + (await this.#open('reader')) === 0);
  }

  get kills(): number {
    return this.#workers.reduce((sum, { kills }) => sum + kills, this.#broker.kills);
  }

  /** Ends it. @returns what is wrong with the alerts, once enough turns were taken for them to be right. */
  async findFaults(): Promise<string[]> {
    // The reader stays connected: its next absence, soon after a short one, would take that one's place.
    clearInterval(this.#publishing);
    let faults: string[] = [];
    for (let turn = 0; turn < SETTLED_AFTER; turn++) {
      faults = await findAlertFaults(this.#database, this.#watched);
      if (faults.length === 0) {
        break;
      }
      const last = await this.#lastTurn();
      await until(async () => (await this.#lastTurn()) !== last);
    }
    await Promise.all([this.#broker, ...this.#workers].map((program) => program.kill()));
    await sealAll(this.#database.url);
    return [...faults, ...(await findToldFaults(this.#database, this.#watched.orgId))];
  }

  /** How many there were of a kind. */
  async count(kind: string): Promise<number> {
    return (await this.#database.rows('select from alerts where kind = $1', [kind])).length;
  }

  async #endTraffic(): Promise<void> {
    clearInterval(this.#publishing);
    await this.#client.endAsync(true);
  }

  #publish(): void {
    if (this.#client.connected) {
      const reads = [{ value: 'E280A' }, ...(this.#isThere ? [{ value: 'E280B' }] : [])];
      this.#client.publish('gate', JSON.stringify(reads), { qos: 1 }, () => {});
    }
  }

  async #open(kind: string): Promise<number> {
    const sql = `select from alerts where kind = $1 and state = 'open'`;
    return (await this.#database.rows(sql, [kind])).length;
  }

  async #lastTurn(): Promise<string | undefined> {
    const [last] = await this.#database.rows<{ at: string }>(
      'select derived_at::text as at from alert_derivation',
    );
    return last?.at;
  }
}
