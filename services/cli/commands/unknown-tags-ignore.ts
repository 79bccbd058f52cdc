import type { Command } from 'commander';
import { AppError } from '../../../base/errors.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { setIgnored } from '../../../domain/administration/unknown-tags/queries.ts';
import { tagKey } from '../../../domain/tracking/tag-key.ts';
import { TAG_TYPES, type TagType } from '../../../domain/tracking/tag-type.ts';
import { addCommand, id, oneOf, printResult } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { withOrganization } from '../connections/database.ts';

interface Options {
  org: number;
  type: TagType;
  value: string;
  undo?: true;
  json?: boolean;
}

export function addUnknownTagsIgnore(program: Command): void {
  addCommand(program, 'unknown-tags', 'ignore')
    .description(
      "See an unknown tag no more: it is not listed, however often it is read. Its reads are counted as before, among its reader's unknown ones too.",
    )
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--type <type>', `its kind: ${TAG_TYPES.join(', ')}`, oneOf(...TAG_TYPES))
    .requiredOption('--value <value>', 'its value, as unknown-tags list shows it')
    .option('--undo', 'have it listed again')
    .addHelpText(
      'after',
      `
JSON: {tag_type, value, ignored}.

Examples:
  ${TAGTRAIL} unknown-tags ignore --org 1 --type rfid --value E28011600000020912345678
  ${TAGTRAIL} unknown-tags ignore --org 1 --type rfid --value E28011600000020912345678 --undo`,
    )
    .action(async (options: Options) => {
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
      printResult(
        { json: { tag_type: tagType, value: read, ignored: isIgnored }, text: forTerminal(text) },
        options,
      );
    });
}
