import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { RabbitCluster } from '../../support/rabbitmq.ts';
import { type ServerProcess, startServer } from '../processes.ts';
import { CoreShare } from './core-share.ts';
import { type BenchSite, READERS } from './site.ts';

/** Ingest processes that share the queues of RabbitMQ evenly. */
export class QueueTakers {
  readonly #processes: ServerProcess[];
  readonly #queues: number;
  readonly #held = new Map<number, CoreShare>();

  private constructor(processes: ServerProcess[]) {
    this.#processes = processes;
    this.#queues = processes.length;
  }

  /** Resolves when the queues are divided. @param tree the working tree that they are of. */
  static async start({
    site,
    cluster,
    tree,
    processes,
  }: {
    site: BenchSite;
    cluster: RabbitCluster;
    tree: string;
    processes: number;
  }): Promise<QueueTakers> {
    const file = `${pathToFileURL(tree).href}/test/bench/servers/ingest-subscribed.ts`;
    const takers = new QueueTakers(
      await Promise.all(
        Array.from({ length: processes }, (_, index) =>
          startServer(file, {
            DATABASE_URL: site.url,
            MQTT_URL: 'mqtt://rabbitmq',
            AMQP_URL: cluster.urls,
            MQTT_SESSIONS: String(processes),
            MQTT_CLIENT_ID: `bench-${index}`,
            INGEST_PORT: '0',
          }),
        ),
      ),
    );
    await takers.#divided();
    return takers;
  }

  get pids(): number[] {
    return this.#processes.map(({ pid }) => pid);
  }

  /** @param share of one core, that each has from now on; null for as much as there is. */
  hold(share: number | null): void {
    for (const pid of share === null ? [] : this.pids) {
      const core = new CoreShare(`ingest-${pid}`, share ?? 1);
      this.#held.set(pid, core);
      core.hold([pid]);
    }
  }

  /** Resolves when what the others had is divided among those that are left. */
  async reduceTo(processes: number): Promise<void> {
    await Promise.all(this.#processes.splice(processes).map((process) => this.#end(process)));
    await this.#divided();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#processes.splice(0).map((process) => this.#end(process)));
  }

  async #end(process: ServerProcess): Promise<void> {
    this.#held.get(process.pid)?.remove();
    this.#held.delete(process.pid);
    await process.stop();
  }

  async #divided(): Promise<void> {
    const share = this.#queues / this.#processes.length;
    for (;;) {
      const figures = await Promise.all(this.#processes.map(figuresOf));
      const isEven = figures.every(({ sessions }) => Math.abs(sessions - share) < 1);
      if (isEven && figures.reduce((sum, { subscriptions }) => sum + subscriptions, 0) === READERS) {
        return;
      }
      await pause(20);
    }
  }
}

async function figuresOf({ url }: ServerProcess) {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const figure = (name: string) =>
    Number(new RegExp(`^tagtrail_ingest_${name} (.+)$`, 'm').exec(metrics)?.[1]);
  return { sessions: figure('sessions'), subscriptions: figure('subscriptions') };
}
