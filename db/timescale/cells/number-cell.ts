import type pg from 'pg';
import { AppError } from '../../../base/errors.ts';
import { Client } from '../connections/client.ts';
import { connectionConfig } from '../connections/connection.ts';

/** Cells that an `integer` has room for, with 50,000,000 ids each. */
export const MOST_CELLS = 42;

/** Their ids are unique in a whole cell, so that an organization can go only where they are not taken. */
const SEQUENCES = {
  integer: ['organizations', 'users', 'readers', 'handhelds', 'mqtt_consumers', 'webhooks'],
  bigint: ['rejected_messages', 'user_links'],
};
const WIDTHS = { integer: 50_000_000n, bigint: 1_000_000_000_000n };

/**
 * Lets the cell draw these ids from a range that no other cell draws from.
 *
 * @throws AppError `conflict` if ids were drawn from another range already.
 */
export async function numberCell(url: string, cell: number): Promise<void> {
  const client = new Client(connectionConfig(url, 'tagtrail cell number'));
  client.on('error', () => {});
  await client.connect();
  try {
    await setRanges(client, cell);
  } finally {
    await client.end();
  }
}

async function setRanges(client: pg.Client, cell: number): Promise<void> {
  await client.query('begin');
  for (const kind of ['integer', 'bigint'] as const) {
    const first = BigInt(cell - 1) * WIDTHS[kind] + 1n;
    const last = BigInt(cell) * WIDTHS[kind];
    for (const table of SEQUENCES[kind]) {
      const { rows } = await client.query<{ sequence: string; drawn: string | null }>(
        `select sequence, pg_sequence_last_value(sequence::regclass)::text as drawn
         from pg_get_serial_sequence($1, 'id') as sequence`,
        [table],
      );
      const { sequence = '', drawn = null } = rows[0] ?? {};
      if (drawn !== null && (BigInt(drawn) < first || BigInt(drawn) > last)) {
        throw new AppError(
          'conflict',
          `This cell has used ids of another range already (${table}: ${drawn}). The first cell is number 1; number others before you create anything in them`,
        );
      }
      const restart = drawn === null ? `restart with ${first}` : '';
      await client.query(
        `alter sequence ${sequence} minvalue ${first} maxvalue ${last} start with ${first} ${restart}`,
      );
    }
  }
  await client.query('commit');
}
