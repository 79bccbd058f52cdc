import { setTimeout as pause } from 'node:timers/promises';
import type { MqttClient } from 'mqtt';

export interface PublishedRead {
  value: string;
  /** Antennas are numbered from 1. */
  antenna: number;
  observed_at: string;
}

export interface Publishers {
  reads: PublishedRead[];
  end(): Promise<void>;
}

export interface PublishersOptions {
  /** One connection for each topic. */
  clients: ReadonlyMap<string, MqttClient>;
  tags: readonly string[];
  antennas: number;
}

/** Milliseconds between messages: far below what two processes record, so that nothing piles up. */
const PAUSE = 5;

/**
 * Readers that publish at QoS 1 until they are told to end. No two reads of a tag have the same time, and times jump to
 * and fro by up to a minute, so that messages change what was recorded before.
 */
export function startPublishers({ clients, tags, antennas }: PublishersOptions): Publishers {
  const reads: PublishedRead[] = [];
  let isOpen = true;
  let message = 0;
  const publish = async (topic: string, client: MqttClient) => {
    while (isOpen) {
      const number = message++;
      const turn = number - (number % SHUFFLED) + ((number * 7) % SHUFFLED);
      const batch = [0, 1, 2, 3].map((index) => ({
        value: tags[(number * 4 + index) % tags.length] ?? '',
        antenna: 1 + ((number * 13 + (number >> 3) + index) % antennas),
        observed_at: new Date(BEGAN + turn * 100).toISOString(),
      }));
      await client.publishAsync(topic, JSON.stringify(batch), { qos: 1 });
      reads.push(...batch);
      await pause(PAUSE);
    }
  };
  const working = [...clients].map(([topic, client]) => publish(topic, client));
  return {
    reads,
    end: async () => {
      isOpen = false;
      await Promise.all(working);
    },
  };
}

/** How many messages have their times shuffled among them; nothing that 7 divides. */
const SHUFFLED = 600;

const BEGAN = Date.now() - 86_400_000;
