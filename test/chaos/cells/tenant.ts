import { setTimeout as pause } from 'node:timers/promises';
import type mqtt from 'mqtt';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { createApiKey } from '../../../domain/administration/api-keys/issue-key.ts';
import { PUBLIC_SCOPES } from '../../../domain/administration/api-keys/scopes.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import type { TestDatabase } from '../../support/database.ts';
import type { Haproxy } from '../../support/haproxy.ts';
import { connected, connectReader } from '../../support/ingest.ts';
import { Site } from '../../support/site.ts';

export interface TenantFaults {
  /** Created, or acknowledged to a reader, and not there. */
  lost: number;
  doubled: number;
  /** Answers that are neither 201 nor a 503 that says when to come again. */
  wrong: number;
}

/** An organization whose assets are created one after the other by the API, and seen by readers, all by way of the router. */
export class Tenant {
  readonly name: string;
  readonly orgId: number;
  /** Milliseconds from the first 503 to the next success, each time. */
  readonly refusedFor: number[] = [];
  slowest = 0;
  readonly #key: string;
  readonly #readers: readonly number[];
  readonly #haproxy: Haproxy;
  readonly #created: string[] = [];
  #attempts = 0;
  readonly #began = Date.now() - 3_600_000;
  readonly #read: number[];
  #refusedSince: number | null = null;
  #wrong = 0;
  #isStopped = false;
  #working: Promise<unknown> = Promise.resolve();

  private constructor(
    { name, orgId }: { name: string; orgId: number },
    { key, readers }: { key: string; readers: readonly number[] },
    haproxy: Haproxy,
  ) {
    this.name = name;
    this.orgId = orgId;
    this.#key = key;
    this.#readers = readers;
    this.#read = readers.map(() => 0);
    this.#haproxy = haproxy;
  }

  static async create(
    database: TestDatabase,
    haproxy: Haproxy,
    name: string,
    readers: number,
  ): Promise<Tenant> {
    const site = await Site.create(database, name);
    const { orgId } = site;
    const places = [await site.location('DOCK'), await site.location('SHELF')];
    for (let number = 0; number < ASSETS; number++) {
      await site.asset(`SEEN-${number}`, `TAG-${number}`);
    }
    const ids: number[] = [];
    for (let number = 0; number < readers; number++) {
      ids.push(await site.reader(`${name}-${number}`, places));
    }
    await database.rows(
      `update readers set mqtt_username = 'reader-' || id, mqtt_password_sha256 = sha256(convert_to('reader-' || id, 'UTF8'))
       where org_id = $1`,
      [orgId],
    );
    const { key } = await createApiKey(databaseOn(database.pool), TEST_ACTOR, {
      ...{ orgId, name: 'key', scopes: PUBLIC_SCOPES, expiresAt: null },
    });
    return new Tenant({ name, orgId }, { key, readers: ids }, haproxy);
  }

  get created(): number {
    return this.#created.length;
  }

  get reads(): number {
    return this.#read.reduce((sum, count) => sum + count, 0);
  }

  begin(): void {
    this.#working = Promise.all([
      this.#write(),
      ...this.#readers.map((id, index) => this.#publish(id, index)),
    ]);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#working;
  }

  async findFaults(database: TestDatabase): Promise<TenantFaults> {
    const rows = await database.rows<{ name: string }>(
      `select name from assets where org_id = $1 and name like 'WRITTEN-%'`,
      [this.orgId],
    );
    const names = new Set(rows.map(({ name }) => name));
    let lost = this.#created.filter((name) => !names.has(name)).length;
    let doubled = rows.length - names.size;
    for (const [index, id] of this.#readers.entries()) {
      const [scans] = await database.rows<{ count: number; times: number }>(
        `select count(*)::int4 as count, count(distinct observed_at)::int4 as times from scan_events
         where org_id = $1 and reader_id = $2`,
        [this.orgId, id],
      );
      lost += (this.#read[index] ?? 0) - (scans?.times ?? 0);
      doubled += (scans?.count ?? 0) - (scans?.times ?? 0);
    }
    return { lost, doubled, wrong: this.#wrong };
  }

  async #write(): Promise<void> {
    while (!this.#isStopped) {
      const asked = performance.now();
      const name = `WRITTEN-${this.#attempts++}`;
      const answer = await this.#create(name).catch((error: Error) => error);
      const now = performance.now();
      this.slowest = Math.max(this.slowest, now - asked);
      if (!(answer instanceof Error) && answer.status === 201) {
        this.#created.push(name);
        this.refusedFor.push(...(this.#refusedSince === null ? [] : [now - this.#refusedSince]));
        this.#refusedSince = null;
      } else {
        this.#refusedSince ??= asked;
        if (answer instanceof Error || answer.status !== 503 || answer.headers.get('retry-after') === null) {
          this.#wrong += 1;
          if (this.#wrong <= MOST_SHOWN) {
            console.error(
              this.name,
              answer instanceof Error ? answer : `${answer.status} ${answer.statusText}`,
            );
          }
        }
      }
      await pause(WRITE_EVERY);
    }
  }

  async #create(name: string): Promise<Response> {
    const answer = await fetch(`http://127.0.0.1:${this.#haproxy.httpPort}/api/v1/assets`, {
      method: 'POST',
      headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    });
    await answer.text();
    return answer;
  }

  /** As a reader does that keeps what was not acknowledged, and sends it again over its next connection. */
  async #publish(id: number, index: number): Promise<void> {
    let client: mqtt.MqttClient | null = null;
    let gone = new Promise<never>(() => {});
    while (!this.#isStopped) {
      const payload = this.#messageOf(this.#read[index] ?? 0);
      for (let isAcknowledged = false; !isAcknowledged; ) {
        try {
          if (client === null) {
            client = connectReader(this.#haproxy.mqttPort, `reader-${id}`);
            client.on('error', () => {});
            await connected(client);
            const { promise, reject } = Promise.withResolvers<never>();
            client.once('close', () => reject(new Error('gone')));
            promise.catch(() => {});
            gone = promise;
          }
          await Promise.race([client.publishAsync(`${this.name}-${index}`, payload, { qos: 1 }), gone]);
          isAcknowledged = true;
        } catch {
          await client?.endAsync(true);
          client = null;
          await pause(RECONNECT_AFTER);
        }
      }
      this.#read[index] = (this.#read[index] ?? 0) + READS;
      await pause(PUBLISH_EVERY);
    }
    await client?.endAsync();
  }

  #messageOf(first: number): string {
    return JSON.stringify(
      Array.from({ length: READS }, (_, offset) => ({
        value: `TAG-${(first + offset) % ASSETS}`,
        antenna: 1 + (Math.floor((first + offset) / (ASSETS * READS)) % 2),
        observed_at: new Date(this.#began + first + offset).toISOString(),
      })),
    );
  }
}

/** Milliseconds. */
const WRITE_EVERY = 50;
const PUBLISH_EVERY = 50;
const RECONNECT_AFTER = 200;

const ASSETS = 50;

/** Of the answers that are wrong. */
const MOST_SHOWN = 5;

/** In a message. */
const READS = 50;
