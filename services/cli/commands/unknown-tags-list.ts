import type { Command } from 'commander';
import { wireTime } from '../../../base/timestamps.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { sayCandidates } from '../../../domain/administration/unknown-tags/attach.ts';
import { listUnknownTags, type UnknownTagRow } from '../../../domain/administration/unknown-tags/queries.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { listTable } from '../command-line/list-table.ts';
import { withOrganization } from '../connections/database.ts';

export function addUnknownTagsList(program: Command): void {
  addCommand(program, 'unknown-tags', 'list')
    .description('List the tags that were read and belong to nothing, the last seen first.')
    .requiredOption('--org <id>', 'the organization', id)
    .option('--ignored', 'those that are ignored, instead of the others')
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} unknown-tags list --org 1`)
    .action(async (options: { org: number; ignored?: true; json?: boolean }) => {
      const rows = await withOrganization(options.org, (db) =>
        listUnknownTags(db, { isIgnored: options.ignored === true }),
      );
      printResult({ json: rows.map(asJson), text: asText(rows, options.org) }, options);
    });
}

function asJson({ first_seen: firstSeen, last_seen: lastSeen, candidates, ...row }: UnknownTagRow) {
  return {
    tag_type: row.tag_type,
    value: row.value,
    count: row.count,
    first_seen: wireTime(firstSeen),
    last_seen: wireTime(lastSeen),
    reader_id: row.reader_id,
    antenna: row.antenna,
    rssi: row.rssi,
    location_external_key: row.location_external_key,
    ambiguous: candidates.length > 0,
  };
}

function asText(rows: readonly UnknownTagRow[], orgId: number): string {
  if (rows.length === 0) {
    return 'No unknown tags.';
  }
  const lines = listTable(
    ['type', 'value', 'count', 'first seen', 'last seen', 'reader', 'antenna', 'dBm', 'location', ''],
    rows.map((row) => [
      row.tag_type,
      row.value,
      String(row.count),
      wireTime(row.first_seen),
      wireTime(row.last_seen),
      String(row.reader_id ?? '-'),
      String(row.antenna ?? '-'),
      String(row.rssi ?? '-'),
      row.location_external_key ?? '-',
      row.candidates.length === 0 ? '' : `ambiguous: may be ${sayCandidates(row.candidates)}`,
    ]),
  );
  return [
    ...lines,
    '',
    'To attach one:',
    `${TAGTRAIL} unknown-tags attach --org ${orgId} --type <type> --value <value> --asset <key>`,
  ].join('\n');
}
