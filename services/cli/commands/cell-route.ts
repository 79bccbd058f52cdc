import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { tellRouter } from '../../../db/timescale/cells/tell-router.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { withMigratedOwnerUrl } from '../connections/database.ts';
import { toldBy } from '../parts/told-by.ts';

interface Options {
  org: number;
  route: string;
  json?: boolean;
}

export function addCellRoute(program: Command): void {
  addCommand(program, 'cell', 'route')
    .description(
      'Tell a router that an organization is in this cell: one that was not told when it moved here, is new, or has lost its map. It may be told again at any time, also when the organization is erased where it was.',
    )
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption(
      '--route <command>',
      'run with lines such as "reader-7 2" on standard input: each credential and the number of this cell (deploy/haproxy/moved.sh)',
    )
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} cell route --org 2 --route deploy/haproxy/moved.sh`)
    .action(async (options: Options) => {
      const { org: orgId } = options;
      await withMigratedOwnerUrl((url) => tellRouter(url, orgId, toldBy(options.route)));
      printResult(
        { json: { id: orgId }, text: `The router was told that organization ${orgId} is here` },
        options,
      );
    });
}
