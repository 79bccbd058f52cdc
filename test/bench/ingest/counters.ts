import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';

export interface Committed {
  messages: number;
  reads: number;
  recorded: number;
}

export async function committed(client: pg.Client): Promise<Committed> {
  const { rows } = await client.query<Committed>({
    name: 'committed',
    text: `select coalesce(sum(messages), 0)::integer as messages, coalesce(sum(reads), 0)::integer as reads,
        coalesce(sum(recorded), 0)::integer as recorded
      from reader_counters`,
  });
  return rows[0] ?? { messages: 0, reads: 0, recorded: 0 };
}

/** Resolves when so many messages are committed, looking every few milliseconds. */
export async function untilCommitted(client: pg.Client, messages: number): Promise<Committed> {
  for (;;) {
    const now = await committed(client);
    if (now.messages >= messages) {
      return now;
    }
    await pause(LOOK_EVERY);
  }
}

const LOOK_EVERY = 5;
