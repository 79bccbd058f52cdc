import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Broker } from '../broker.ts';
import type { ListeningBroker } from './listening-broker.ts';

/** Milliseconds. */
const LONGEST_APART = 60_000;
const LOOK_AGAIN = 200;

/** Several nodes behind what stands for a load balancer: connections go to those that run, in turn. */
export class Cluster implements Broker {
  readonly nodes: readonly ListeningBroker[];
  readonly #folder: string;
  readonly #isWhole: () => Promise<boolean>;
  #connections = 0;
  #kills = 0;

  /**
   * @param folder with the nodes' files, removed with the cluster.
   * @param isWhole whether all nodes have found one another.
   */
  constructor(nodes: readonly ListeningBroker[], folder: string, isWhole: () => Promise<boolean>) {
    this.nodes = nodes;
    this.#folder = folder;
    this.#isWhole = isWhole;
  }

  get port(): number {
    const running = this.nodes.filter(({ isRunning }) => isRunning);
    this.#connections += 1;
    return running[this.#connections % running.length]?.port ?? 0;
  }

  async start(): Promise<void> {
    await Promise.all(this.nodes.filter(({ isRunning }) => !isRunning).map((node) => node.start()));
    const since = performance.now();
    while (!(await this.#isWhole())) {
      if (performance.now() - since > LONGEST_APART) {
        throw new Error(`The nodes had not found one another after ${LONGEST_APART / 1_000} s`);
      }
      await pause(LOOK_AGAIN);
    }
  }

  /** One node after the other. */
  async kill(): Promise<void> {
    await this.nodes[this.#kills++ % this.nodes.length]?.kill();
  }

  async remove(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
