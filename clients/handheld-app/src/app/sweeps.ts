import { ulid } from 'ulid';
import type { Place } from '../gateway/place.ts';
import type { DeviceClock } from '../queue/device-clock.ts';
import type { QueueView } from '../queue/queue.ts';
import type { Sender } from '../queue/sender.ts';
import type { KeptSettings } from '../session/settings.ts';
import type { Sweeping } from '../sweep/sweeping.ts';
import type { Announcer } from './announcer.ts';

interface Parts {
  sweeping: Sweeping;
  queue: QueueView;
  sender: Sender;
  clock: DeviceClock;
  announcer: Announcer;
  settings: KeptSettings;
}

/** The user's actions on a sweep. */
export class Sweeps {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  async start(place: Place): Promise<void> {
    const { announcer, sweeping, settings } = this.#parts;
    announcer.notice.value = null;
    await sweeping.start(ulid(), place, settings.now.value.sweep === 'check');
  }

  /** Queues it after its scans. */
  async finish(): Promise<void> {
    const { sweeping, queue, sender, clock } = this.#parts;
    const mark = -Date.now();
    const finished = sweeping.finish(ulid(), mark);
    clock.made([{ seq: mark }]);
    await queue.storing(finished);
    sender.wake();
  }

  /** Found assets that belong elsewhere move here. */
  async moveHere(): Promise<void> {
    await this.#parts.sweeping.moveHere();
    await this.#changed();
    await this.#parts.sweeping.recount();
  }

  async resume(): Promise<void> {
    await this.#parts.sweeping.resume();
    await this.#changed();
  }

  async end(): Promise<void> {
    await this.#parts.sweeping.clear();
    await this.#changed();
  }

  async #changed(): Promise<void> {
    await this.#parts.queue.changed();
    this.#parts.sender.wake();
  }
}
