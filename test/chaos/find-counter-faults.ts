import type { ClientBase } from 'pg';
import { type PlannedMessage, readerName } from './traffic.ts';

/**
 * Rule 6, for every reader: reads = recorded + duplicates + unknown + unplaced + rejected. And what was counted as
 * recorded is what is stored, and nothing that was published was left out of the count.
 *
 * @returns how many readers' counters are wrong.
 */
export async function findCounterFaults(
  client: ClientBase,
  messages: readonly PlannedMessage[],
): Promise<number> {
  const { rows } = await client.query<Counters>(
    `select name, messages, messages_rejected, reads, recorded, duplicates, unknown, unplaced, rejected,
       (select count(*) from scan_events where scan_events.reader_id = readers.id) as stored,
       (select count(*) from rejected_messages where rejected_messages.reader_id = readers.id) as kept
     from readers left join reader_counters on reader_counters.reader_id = readers.id`,
  );
  const published = Map.groupBy(messages, ({ reader }) => readerName(reader));
  return rows.filter((row) => !addsUp(row, published.get(row.name) ?? [])).length;
}

type Counters = { name: string } & Record<
  | 'messages'
  | 'messages_rejected'
  | 'reads'
  | 'recorded'
  | 'duplicates'
  | 'unknown'
  | 'unplaced'
  | 'rejected'
  | 'stored'
  | 'kept',
  number
>;

function addsUp(row: Counters, published: readonly PlannedMessage[]): boolean {
  const reads = published.flatMap((message) => message.reads);
  const planned = (fate: string) => reads.filter((read) => read.fate === fate).length;
  const poison = published.filter(({ kind }) => kind === 'undecodable' || kind === 'refused').length;
  return (
    row.reads === row.recorded + row.duplicates + row.unknown + row.unplaced + row.rejected &&
    row.recorded === row.stored &&
    row.messages >= published.length &&
    row.recorded >= planned('recorded') &&
    row.unknown >= planned('unknown') &&
    row.unplaced >= planned('unplaced') &&
    row.messages_rejected >= poison &&
    row.messages_rejected >= row.kept
  );
}
