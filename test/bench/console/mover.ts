import { setTimeout } from 'node:timers/promises';
import { type ConnectedReader, connectReaders } from '../../../simulation/connections.ts';
import { ANTENNAS } from './site.ts';

/** Reads of a message. */
const BUNDLE = 10;

export interface Mover {
  /** By the asset's name: when its move was committed, in milliseconds since 1970. */
  committed: ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

/**
 * Moves one asset after the other, each once, by a reader that publishes. The embedded broker acknowledges a message when
 * it is committed, so a move was committed at the latest when its acknowledgement came.
 */
export async function startMover(mqttUrl: string, reader: ConnectedReader, rate: number): Promise<Mover> {
  const connections = await connectReaders(mqttUrl, [reader]);
  const committed = new Map<string, number>();
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  let asset = 0;
  const publish = async () => {
    const assets = Array.from({ length: BUNDLE }, () => (asset += 1));
    const reads = assets.map((number) => ({
      value: `E280${String(number).padStart(20, '0')}`,
      antenna: 1 + (number % ANTENNAS),
      rssi: -50,
      observed_at: new Date().toISOString(),
    }));
    await connections.publish(reader.name, JSON.stringify({ reads }));
    const now = Date.now();
    for (const number of assets) {
      committed.set(`Pallet ${number}`, now);
    }
  };
  const run = async () => {
    const began = performance.now();
    for (let message = 1; !stopping.signal.aborted; message += 1) {
      const sent = publish().finally(() => underWay.delete(sent));
      underWay.add(sent);
      await setTimeout(Math.max(0, began + (message * BUNDLE * 1_000) / rate - performance.now()));
    }
    await Promise.all(underWay);
  };
  const running = run();
  return {
    committed,
    stop: async () => {
      stopping.abort();
      await running;
      await connections.close();
    },
  };
}
