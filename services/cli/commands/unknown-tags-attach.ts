import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { attachUnknownTag, sayCandidates } from '../../../domain/administration/unknown-tags/attach.ts';
import { TAG_TYPES, type TagType } from '../../../domain/tracking/tag-type.ts';
import { addCommand, id, oneOf, printResult } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { withOrganization } from '../connections/database.ts';

interface Options {
  org: number;
  type: TagType;
  value: string;
  asset: string;
  json?: boolean;
}

export function addUnknownTagsAttach(program: Command): void {
  addCommand(program, 'unknown-tags', 'attach')
    .description('Attach an unknown tag to an asset: from now on its reads are reads of the asset.')
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--type <type>', `its kind: ${TAG_TYPES.join(', ')}`, oneOf(...TAG_TYPES))
    .requiredOption('--value <value>', 'its value, as unknown-tags list shows it')
    .requiredOption('--asset <key>', 'the external key of the asset')
    .addHelpText(
      'after',
      `\nExample:\n  ${TAGTRAIL} unknown-tags attach --org 1 --type rfid --value E28011600000020912345678 --asset PALLET-7`,
    )
    .action(async (options: Options) => {
      const { org: orgId, type: tagType, value, asset: assetKey } = options;
      const tag = await withOrganization(orgId, (db, actor) =>
        attachUnknownTag(db, actor, { tagType, value, to: 'asset', key: assetKey }),
      );
      const alike =
        tag.alike.length === 0
          ? ''
          : `\nIt differs in spelling only from ${sayCandidates(tag.alike)}; ` +
            'a read that is spelled like none of them stays ambiguous.';
      printResult(
        {
          json: { id: tag.id, tag_type: tag.tag_type, value: tag.value, asset_external_key: assetKey },
          text: forTerminal(`Tag ${tag.tag_type}:${tag.value} is attached to ${assetKey}.`) + alike,
        },
        options,
      );
    });
}
