import type { Channel } from 'amqplib';
import { isAccessRefused } from '../queue-refused.ts';
import { isRoutable, routingKeyOf } from './routing-keys.ts';

/**
 * Binds a queue to the exchange that MQTT is published to, one filter after the other: a refusal closes the channel.
 * Answers as MQTT's: from 128 on they are refusals.
 */
export class Bindings {
  readonly #open: () => Promise<Channel>;
  readonly #queue: string;
  #channel: Promise<Channel> | null = null;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(open: () => Promise<Channel>, queue: string) {
    this.#open = open;
    this.#queue = queue;
  }

  bind(filters: readonly string[]): Promise<number[]> {
    return this.#each(filters, (channel, key) => channel.bindQueue(this.#queue, EXCHANGE, key));
  }

  unbind(filters: readonly string[]): Promise<number[]> {
    return this.#each(filters, (channel, key) => channel.unbindQueue(this.#queue, EXCHANGE, key));
  }

  async #each(
    filters: readonly string[],
    work: (channel: Channel, key: string) => Promise<unknown>,
  ): Promise<number[]> {
    const before = this.#turn;
    const answers = (async () => {
      await before.catch(() => {});
      const given: number[] = [];
      for (const filter of filters) {
        given.push(
          isRoutable(filter) ? await this.#once((channel) => work(channel, routingKeyOf(filter))) : INVALID,
        );
      }
      return given;
    })();
    this.#turn = answers;
    return answers;
  }

  /** @throws if the connection has ended. */
  async #once(work: (channel: Channel) => Promise<unknown>): Promise<number> {
    try {
      this.#channel ??= this.#open().then((channel) => channel.on('error', () => {}));
      await work(await this.#channel);
      return GRANTED;
    } catch (error) {
      this.#channel = null;
      if (isAccessRefused(error)) {
        return NOT_AUTHORIZED;
      }
      throw error;
    }
  }
}

/** RabbitMQ's MQTT plugin publishes there unless it is told another one. */
const EXCHANGE = 'amq.topic';

/** MQTT 5 section 3.9.3. */
const GRANTED = 1;
const NOT_AUTHORIZED = 135;
const INVALID = 143;
