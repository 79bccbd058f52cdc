import type { Command } from 'commander';
import { AppError } from '../../../base/errors.ts';
import { table } from '../../../base/table.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import type { MoveResult } from '../../../db/timescale/cells/switch-over.ts';
import { moveToCell } from '../../../domain/administration/organizations/move-organization.ts';
import { withInterruption } from '../../../platform/runtime/interruption.ts';
import { optionalUrl } from '../../../platform/runtime/setting-kinds.ts';
import { readSettings } from '../../../platform/runtime/settings.ts';
import { BROKER_URL } from '../../mqtt-ingest/config.ts';
import { commandLineActor } from '../../standalone/command-line-actor.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { withMigratedOwnerUrl } from '../connections/database.ts';
import { requireOtherDatabase } from '../parts/other-database.ts';
import { toldBy } from '../parts/told-by.ts';
import { showProgress } from '../running/progress.ts';
import { running } from '../running/running.ts';

const BROKER = { MQTT_URL: optionalUrl('the broker that ingestion takes from', ...BROKER_URL) };

interface Options {
  org: number;
  to: string;
  route?: string;
  leavePublished?: true;
  json?: boolean;
}

export function addCellMove(program: Command): void {
  addCommand(program, 'cell', 'move')
    .description(
      'Move an organization to another cell while it is in use, with everything it has. For a few seconds at the end its requests are answered 503 with Retry-After; nobody else notices. Interrupted, it goes on when it is run again. What it leaves here is deleted by org erase.',
    )
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--to <url>', "the database of the other cell, as its tables' owner")
    .option(
      '--route <command>',
      'run when the other cell serves it, with lines such as "reader-7 2" on standard input: each credential and the number of its cell (deploy/haproxy/moved.sh)',
    )
    .option('--leave-published', 'move although messages about its assets are retained at the broker here')
    .addHelpText(
      'after',
      `\nExample:\n  ${TAGTRAIL} cell move --org 2 --to postgres://tagtrail@db-2:5432/tagtrail --route deploy/haproxy/moved.sh`,
    )
    .action(async (options: Options) => {
      const { org: orgId, route } = options;
      const to = await requireOtherDatabase(options.to);
      const hasBroker = readSettings(BROKER, running().env).MQTT_URL !== null;
      const progress = showProgress();
      let doing = 'connecting';
      let saying: NodeJS.Timeout | undefined;
      const sayWhatItWaitsFor = () => {
        progress.end();
        running().streams.stderr.write(`Interrupted; it ends after: ${doing}. Once more ends it at once\n`);
      };
      const result = await withInterruption(
        (signal) =>
          withMigratedOwnerUrl((from) =>
            moveToCell(
              { from, to, orgId, hasBroker, leavesPublished: options.leavePublished === true },
              commandLineActor(),
              {
                signal,
                onProgress: (what) => {
                  doing = what;
                  progress.show(what);
                },
                onSwitched: route === undefined ? async () => {} : toldBy(route),
              },
            ),
          ),
        {
          first: () => {
            saying = options.json === true ? undefined : setTimeout(sayWhatItWaitsFor, PATIENCE);
          },
        },
      ).finally(() => {
        clearTimeout(saying);
        progress.end();
      });
      requireWhole(result, orgId);
      printResult(
        {
          json: {
            id: orgId,
            held_ms: result.heldMs === null ? null : Math.round(result.heldMs),
            is_router_told: route !== undefined,
            tables: result.tables,
          },
          text: [...textOf(result, orgId), ...(route === undefined ? untold(orgId) : [])].join('\n'),
        },
        options,
      );
    });
}

/** Milliseconds after an interruption. */
const PATIENCE = 500;

function requireWhole({ differing }: MoveResult, orgId: number): void {
  if (differing.length > 0) {
    throw new AppError(
      'conflict',
      `Organization ${orgId} has moved, but tables did not agree at the switch (${differing.join(', ')}); compare org export of both cells before you erase it here`,
    );
  }
}

function textOf({ tables, heldMs }: MoveResult, orgId: number): string[] {
  const rows = tables.map(({ table: name, rows: count, checksum }) => [name, String(count), checksum]);
  const held = heldMs === null ? '' : `, held for ${Math.round(heldMs)} ms`;
  return [
    ...table(['table', 'rows', 'checksum'], rows),
    `Organization ${orgId} is at the other cell${held}. What is left of it here: ${TAGTRAIL} org erase --org ${orgId}`,
  ];
}

function untold(orgId: number): string[] {
  return [
    'Warning: no router was told. Requests and readers that one leads here get no answer but "try again". Before you erase what is',
    `left, tell it, with the settings of the other cell: ${TAGTRAIL} cell route --org ${orgId} --route ...`,
  ];
}
