import { AppError } from '../../../base/errors.ts';
import { wireTime } from '../../../base/timestamps.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { attachUnknownTag, sayCandidates } from '../../../domain/administration/unknown-tags/attach.ts';
import {
  listUnknownTags,
  setIgnored,
  type UnknownTagRow,
} from '../../../domain/administration/unknown-tags/queries.ts';
import { tagKey } from '../../../domain/tracking/tag-key.ts';
import { TAG_TYPES, type TagType } from '../../../domain/tracking/tag-type.ts';
import { addCommand, type Command, examples, id, oneOf } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { listTable } from '../command-line/list-table.ts';
import { withOrganization } from '../connections/database.ts';

export function addUnknownTags(program: Command): void {
  addUnknownTagsList(program);
  addUnknownTagsAttach(program);
  addUnknownTagsIgnore(program);
}

function addUnknownTagsList(program: Command): void {
  addCommand(program, 'unknown-tags', 'list')
    .description('List tags that were read but belong to no asset or location, last seen first.')
    .requiredOption('--org <id>', 'the organization', id)
    .option('--ignored', 'list ignored ones instead')
    .addHelpText(...examples('unknown-tags list --org 1'))
    .prints(async (options: { org: number; ignored?: true }) => {
      const rows = await withOrganization(options.org, (db) =>
        listUnknownTags(db, { isIgnored: options.ignored === true }),
      );
      return { json: rows.map(asJson), text: asText(rows, options.org) };
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
    antenna: row.antenna !== null && row.antenna < 0 ? row.antenna_name : row.antenna,
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

interface AttachOptions {
  org: number;
  type: TagType;
  value: string;
  asset: string;
}

function addUnknownTagsAttach(program: Command): void {
  addCommand(program, 'unknown-tags', 'attach')
    .description('Attach an unknown tag to an asset: from now on its reads count for the asset.')
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--type <type>', `its kind: ${TAG_TYPES.join(', ')}`, oneOf(...TAG_TYPES))
    .requiredOption('--value <value>', 'its value, as unknown-tags list shows it')
    .requiredOption('--asset <key>', 'the external key of the asset')
    .addHelpText(
      ...examples(
        'unknown-tags attach --org 1 --type rfid --value E28011600000020912345678 --asset PALLET-7',
      ),
    )
    .prints(async (options: AttachOptions) => {
      const { org: orgId, type: tagType, value, asset: assetKey } = options;
      const tag = await withOrganization(orgId, (db, actor) =>
        attachUnknownTag(db, actor, { tagType, value, to: 'asset', key: assetKey }),
      );
      const alike =
        tag.alike.length === 0
          ? ''
          : `\nIt differs in spelling only from ${sayCandidates(tag.alike)}; ` +
            'a read in any other spelling stays ambiguous.';
      return {
        json: { id: tag.id, tag_type: tag.tag_type, value: tag.value, asset_external_key: assetKey },
        text: forTerminal(`Tag ${tag.tag_type}:${tag.value} is attached to ${assetKey}.`) + alike,
      };
    });
}

interface IgnoreOptions {
  org: number;
  type: TagType;
  value: string;
  undo?: true;
}

function addUnknownTagsIgnore(program: Command): void {
  addCommand(program, 'unknown-tags', 'ignore')
    .description('Ignore an unknown tag: it is no longer listed. Its reads are still counted.')
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--type <type>', `its kind: ${TAG_TYPES.join(', ')}`, oneOf(...TAG_TYPES))
    .requiredOption('--value <value>', 'its value, as unknown-tags list shows it')
    .option('--undo', 'list it again')
    .addHelpText(
      'after',
      `
JSON: {tag_type, value, ignored}.

Examples:
  ${TAGTRAIL} unknown-tags ignore --org 1 --type rfid --value E28011600000020912345678
  ${TAGTRAIL} unknown-tags ignore --org 1 --type rfid --value E28011600000020912345678 --undo`,
    )
    .prints(async (options: IgnoreOptions) => {
      const { org: orgId, type: tagType, value } = options;
      const isIgnored = options.undo !== true;
      const read = await withOrganization(orgId, (db, actor) =>
        setIgnored(db, actor, { tagType, tagKey: tagKey(tagType, value), isIgnored }),
      );
      if (read === null) {
        throw new AppError(
          'not_found',
          `No unknown tag ${tagType}:${value} in organization ${orgId}; ` +
            `${TAGTRAIL} unknown-tags list --org ${orgId} shows those there are`,
        );
      }
      const text = isIgnored
        ? `Tag ${tagType}:${read} is ignored; unknown-tags list --org ${orgId} --ignored shows it.`
        : `Tag ${tagType}:${read} is listed again.`;
      return { json: { tag_type: tagType, value: read, ignored: isIgnored }, text: forTerminal(text) };
    });
}
