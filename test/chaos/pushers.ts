import { setTimeout as pause } from 'node:timers/promises';
import type { TestDatabase } from '../support/database.ts';
import type { Sending } from './publishers.ts';
import type { Tap } from './tap.ts';
import { messageOf, payloadOf, readerName, type Traffic } from './traffic.ts';

/** Milliseconds. */
const AGAIN_AFTER = 50;

/**
 * Readers that push over HTTP: each sends a message until it is answered with 200, always with the same key. One message in
 * twenty is sent twice at once on purpose.
 */
export class Pushers implements Sending {
  readonly acknowledged = new Set<number>();
  published = 0;
  disconnects = 0;
  readonly #traffic: Traffic;
  readonly #addresses: readonly string[];
  readonly #tap: Tap;
  readonly #ending = new AbortController();

  private constructor(traffic: Traffic, addresses: readonly string[], tap: Tap) {
    this.#traffic = traffic;
    this.#addresses = addresses;
    this.#tap = tap;
  }

  static async of(database: TestDatabase, traffic: Traffic, port: number, tap: Tap): Promise<Pushers> {
    const rows = await database.rows<{ id: number; name: string }>('select id, name from readers');
    const ids = new Map(rows.map(({ id, name }) => [name, id]));
    const addresses = Array.from(
      { length: traffic.readers },
      (_, reader) => `http://127.0.0.1:${port}/readers/v1/${ids.get(readerName(reader))}`,
    );
    return new Pushers(traffic, addresses, tap);
  }

  async publish(index: number): Promise<void> {
    const message = messageOf(this.#traffic, index);
    const name = readerName(message.reader);
    const request = {
      method: 'POST',
      headers: {
        Authorization: `Basic ${Buffer.from(`${name}:${name}`).toString('base64')}`,
        'Idempotency-Key': String(index),
      },
      body: payloadOf(message),
      signal: this.#ending.signal,
    };
    this.published += 1;
    const send = () => this.#send(String(this.#addresses[message.reader]), request);
    await Promise.all(Array.from({ length: index % 20 === 3 ? 2 : 1 }, send));
    this.acknowledged.add(index);
    this.#tap.noteAnswer(index);
  }

  async end(): Promise<void> {
    this.#ending.abort();
  }

  async #send(address: string, request: RequestInit): Promise<void> {
    for (;;) {
      try {
        const { status, body } = await fetch(address, request);
        await body?.cancel();
        if (status === 200) {
          return;
        }
        if (![429, 503].includes(status)) {
          throw new Error(`a push was answered with ${status}`);
        }
      } catch (error) {
        // Fetch throws this class for whatever fails in the network.
        if (this.#ending.signal.aborted || !(error instanceof TypeError)) {
          throw error;
        }
        this.disconnects += 1;
      }
      await pause(AGAIN_AFTER);
    }
  }
}
