import type { Command } from 'commander';
import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { type ListedAntenna, listReaders } from '../../../domain/administration/readers/list-readers.ts';
import type { ReaderClock } from '../../../domain/administration/readers/reader-clock.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { listTable } from '../command-line/list-table.ts';
import { withConnections } from '../connections/database.ts';
import { readerRow } from '../parts/reader-row.ts';

export function addReaderList(program: Command): void {
  addCommand(program, 'reader', 'list')
    .description(
      'List the readers of an organization: registration, antennas, and what became of their reads.',
    )
    .requiredOption('--org <id>', 'the organization', id)
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} reader list --org 1`)
    .action(async (options: { org: number; json?: boolean }) => {
      const readers = await withConnections(async ({ db }) => {
        await requireLiveOrganization(db, options.org);
        return listReaders(db, options.org);
      });
      const rows = readers.map((reader) => ({
        ...readerRow(reader),
        created_at: wireTime(reader.createdAt),
        antennas: reader.antennas,
        state: reader.state,
        unheard_since: wireTimeOrNull(reader.unheardSince),
        expected_seconds: reader.expectedSeconds,
        last_message_at: wireTimeOrNull(reader.lastMessageAt),
        last_used_at: wireTimeOrNull(reader.lastUsedAt),
        ...reader.counters,
        clock: reader.clock,
      }));
      printResult({ json: rows, text: rows.length === 0 ? 'No readers.' : asTable(rows) }, options);
    });
}

const COUNTERS = [
  'messages',
  'messages_rejected',
  'reads',
  'recorded',
  'duplicates',
  'unknown',
  'unplaced',
  'rejected',
  'ignored',
  'throttled_ms',
] as const;

type Row = Record<(typeof COUNTERS)[number], number> & {
  id: number;
  name: string;
  topic: string;
  format: string;
  antennas: ListedAntenna[];
  state: string;
  last_message_at: string | null;
  last_used_at: string | null;
  clock: ReaderClock | null;
};

function asTable(rows: readonly Row[]): string {
  return listTable(
    ['id', 'name', 'topic', 'format', 'state', 'last message', 'last used', 'clock', 'antennas', ...COUNTERS],
    rows.map((row) => [
      String(row.id),
      row.name,
      row.topic,
      row.format,
      row.state,
      row.last_message_at ?? '-',
      row.last_used_at ?? '-',
      sayClock(row.clock),
      row.antennas.map(sayAntenna).join(' '),
      ...COUNTERS.map((counter) => String(row[counter])),
    ]),
  ).join('\n');
}

/** `10803 s behind (within 2 s): WRONG`. */
function sayClock(clock: ReaderClock | null): string {
  if (clock === null) {
    return '-';
  }
  const { behind_seconds: behind, spread_seconds: spread, wrong } = clock;
  const said = `${Math.abs(behind)} s ${behind < 0 ? 'ahead' : 'behind'} (within ${spread} s)`;
  return wrong ? `${said}: WRONG` : said;
}

/** `2=DOCK-2(from -65 dBm,off)`. */
function sayAntenna({ port, location_external_key: key, min_rssi: minRssi, enabled }: ListedAntenna): string {
  const notes = [...(minRssi === null ? [] : [`from ${minRssi} dBm`]), ...(enabled ? [] : ['off'])];
  return `${port}=${key ?? 'nowhere'}${notes.length === 0 ? '' : `(${notes.join(',')})`}`;
}
