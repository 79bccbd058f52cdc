import { answerOf, forkFile } from '../processes.ts';
import type { PublishOrder } from './publisher.ts';

export interface Publishers {
  pids: number[];
  /** Resolves when everything has been acknowledged by the broker. */
  start(): Promise<void>;
  /** Ends them in the middle of their work. */
  kill(): void;
}

/** Divides the readers of `order` among processes, makes the messages and connects. */
export async function preparePublishers(order: PublishOrder, processes = 2): Promise<Publishers> {
  const { readers, messages } = order.traffic;
  const share = Math.ceil(readers.length / processes);
  const children = await Promise.all(
    Array.from({ length: processes }, async (_, index) => {
      const own = readers.slice(index * share, (index + 1) * share);
      const child = forkFile('ingest/publisher.ts');
      child.send({
        ...order,
        rate: order.rate === null ? null : order.rate / processes,
        traffic: {
          ...order.traffic,
          readers: own,
          messages: Math.round((messages * own.length) / readers.length),
          seed: order.traffic.seed + index,
        },
      } satisfies PublishOrder);
      await answerOf(child);
      return child;
    }),
  );
  return {
    pids: children.map(({ pid }) => pid ?? 0),
    start: async () => {
      const done = children.map((child) => answerOf(child));
      for (const child of children) {
        child.send('go');
      }
      await Promise.all(done);
    },
    kill: () => {
      for (const child of children) {
        child.kill('SIGKILL');
      }
    },
  };
}
