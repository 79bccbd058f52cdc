import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { InvalidArgumentError } from 'commander';
import { AppError } from '../../../base/errors.ts';
import { table } from '../../../base/table.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { MOST_CELLS, numberCell } from '../../../db/timescale/cells/cells.ts';
import { giveUpMove } from '../../../db/timescale/cells/move.ts';
import type { Route } from '../../../db/timescale/cells/route.ts';
import type { MoveResult } from '../../../db/timescale/cells/switch-over.ts';
import { tellRouter } from '../../../db/timescale/cells/tell-router.ts';
import { moveToCell } from '../../../domain/administration/organizations/move-organization.ts';
import { withInterruption } from '../../../platform/runtime/interruption.ts';
import { optionalUrl } from '../../../platform/runtime/setting-kinds.ts';
import { readSettings } from '../../../platform/runtime/settings.ts';
import { BROKER_URL } from '../../mqtt-ingest/config.ts';
import { commandLineActor } from '../../standalone/command-line-actor.ts';
import { addCommand, type Command, examples, id } from '../command-line/command-line.ts';
import { withMigratedOwnerUrl } from '../connections/database.ts';
import { requireOtherDatabase } from '../parts/other-database.ts';
import { running, showProgress } from '../running/running.ts';

export function addCell(program: Command): void {
  addCellNumber(program);
  addCellMove(program);
  addCellRoute(program);
  addCellGiveUp(program);
}

function addCellNumber(program: Command): void {
  addCommand(program, 'cell', 'number')
    .description(
      'Number this cell, to give it ids of organizations, people, readers, handhelds and webhooks that no other cell uses. An installation in use becomes cell 1; number others before you create anything in them.',
    )
    .requiredOption('--set <number>', `1 to ${MOST_CELLS}`, number)
    .addHelpText(...examples('cell number --set 2'))
    .prints(async ({ set }: { set: number }) => {
      await withMigratedOwnerUrl((url) => numberCell(url, set));
      return { json: { cell: set }, text: `This is cell ${set}` };
    });
}

function number(text: string): number {
  const value = Number(text);
  if (!/^\d{1,3}$/.test(text) || value < 1 || value > MOST_CELLS) {
    throw new InvalidArgumentError(`Give a number from 1 to ${MOST_CELLS}.`);
  }
  return value;
}

const BROKER = { MQTT_URL: optionalUrl('the broker of ingestion', ...BROKER_URL) };

interface MoveOptions {
  org: number;
  to: string;
  route?: string;
  leavePublished?: true;
}

function addCellMove(program: Command): void {
  addCommand(program, 'cell', 'move')
    .description(
      'Move an organization to another cell with everything it has, while it is used. For a few seconds at the end its requests get 503 with Retry-After; other organizations are not affected. If it is interrupted, run it again to continue. Afterwards delete the copy here with org erase.',
    )
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--to <url>', "the database of the other cell, as its tables' owner")
    .option(
      '--route <command>',
      'a command to run when the other cell serves it, with lines such as "reader-7 2" on standard input: each credential and the number of its cell (deploy/haproxy/moved.sh)',
    )
    .option('--leave-published', 'move even if messages about its assets are retained at the broker here')
    .addHelpText(
      ...examples(
        'cell move --org 2 --to postgres://tagtrail@db-2:5432/tagtrail --route deploy/haproxy/moved.sh',
      ),
    )
    .prints(async (options: MoveOptions) => {
      const { org: orgId, route } = options;
      const to = await requireOtherDatabase(options.to);
      const hasBroker = readSettings(BROKER, running().env).MQTT_URL !== null;
      const moving = showMoving();
      const result = await withInterruption(
        (signal) =>
          withMigratedOwnerUrl((from) =>
            moveToCell(
              { from, to, orgId, hasBroker, leavesPublished: options.leavePublished === true },
              commandLineActor(),
              {
                signal,
                onProgress: moving.show,
                onSwitched: route === undefined ? async () => {} : toldBy(route),
              },
            ),
          ),
        { first: moving.interrupted },
      ).finally(moving.end);
      requireWhole(result, orgId);
      return {
        json: {
          id: orgId,
          held_ms: result.heldMs === null ? null : Math.round(result.heldMs),
          is_router_told: route !== undefined,
          tables: result.tables,
        },
        text: [...textOf(result, orgId), ...(route === undefined ? untold(orgId) : [])].join('\n'),
      };
    });
}

/** Shows what is done, and after an interruption what it waits for, unless that ends in a moment. */
function showMoving() {
  const { isJson, streams } = running();
  const progress = showProgress();
  let doing = 'connecting';
  let saying: NodeJS.Timeout | undefined;
  const sayWhatItWaitsFor = () => {
    progress.end();
    streams.stderr.write(`Interrupted; it ends after: ${doing}. Press Ctrl-C again to end it at once\n`);
  };
  return {
    show: (what: string) => {
      doing = what;
      progress.show(what);
    },
    interrupted: () => {
      saying = isJson ? undefined : setTimeout(sayWhatItWaitsFor, PATIENCE);
    },
    end: () => {
      clearTimeout(saying);
      progress.end();
    },
  };
}

/** Milliseconds after an interruption. */
const PATIENCE = 500;

function requireWhole({ differing }: MoveResult, orgId: number): void {
  if (differing.length > 0) {
    throw new AppError(
      'conflict',
      `Organization ${orgId} has moved, but tables did not agree at the switch (${differing.join(', ')}); compare the org export of both cells before you erase it here`,
    );
  }
}

function textOf({ tables, heldMs }: MoveResult, orgId: number): string[] {
  const rows = tables.map(({ table: name, rows: count, checksum }) => [name, String(count), checksum]);
  const held = heldMs === null ? '' : `, held for ${Math.round(heldMs)} ms`;
  return [
    ...table(['table', 'rows', 'checksum'], rows),
    `Organization ${orgId} is at the other cell${held}. Delete the copy here: ${TAGTRAIL} org erase --org ${orgId}`,
  ];
}

function untold(orgId: number): string[] {
  return [
    'Warning: no router knows of the move. Requests and readers that it leads here are told to try again. Before you erase the',
    `copy here, update the router with the settings of the other cell: ${TAGTRAIL} cell route --org ${orgId} --route ...`,
  ];
}

interface RouteOptions {
  org: number;
  route: string;
}

function addCellRoute(program: Command): void {
  addCommand(program, 'cell', 'route')
    .description(
      'Tell a router that an organization is in this cell: a new router, one that lost its map, or one not updated by the move. You can repeat this at any time.',
    )
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption(
      '--route <command>',
      'a command to run with lines such as "reader-7 2" on standard input: each credential and the number of this cell (deploy/haproxy/moved.sh)',
    )
    .addHelpText(...examples('cell route --org 2 --route deploy/haproxy/moved.sh'))
    .prints(async (options: RouteOptions) => {
      const { org: orgId } = options;
      await withMigratedOwnerUrl((url) => tellRouter(url, orgId, toldBy(options.route)));
      return { json: { id: orgId }, text: `The router knows that organization ${orgId} is here` };
    });
}

interface GiveUpOptions {
  org: number;
  to: string;
}

function addCellGiveUp(program: Command): void {
  addCommand(program, 'cell', 'give-up')
    .description(
      'Give up an interrupted move of an organization, before the switch: its copy at the other cell is deleted, and it is used here as before. After the switch a move can only be completed.',
    )
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--to <url>', 'the database of the other cell')
    .addHelpText(...examples('cell give-up --org 2 --to postgres://tagtrail@db-2:5432/tagtrail'))
    .prints(async (options: GiveUpOptions) => {
      const { org: orgId } = options;
      const to = await requireOtherDatabase(options.to);
      await withMigratedOwnerUrl((from) => giveUpMove({ from, to, orgId }));
      return { json: { id: orgId }, text: `Organization ${orgId} stays here` };
    });
}

/**
 * Tells a router by the command of `--route`.
 *
 * @throws AppError `conflict` if it fails.
 */
function toldBy(command: string): (route: Route) => Promise<void> {
  return async ({ cell, credentials }) => {
    const { env } = running();
    const child = spawn(command, { shell: true, env, stdio: ['pipe', 'ignore', 'inherit'] });
    // A command that reads nothing closes it.
    child.stdin.on('error', () => {});
    child.stdin.end(credentials.map((credential) => `${credential} ${cell}\n`).join(''));
    const [status] = await once(child, 'close');
    if (status !== 0) {
      throw new AppError(
        'conflict',
        `The organization is in cell ${cell}, but the command of --route failed (${status}); run this again`,
      );
    }
  };
}
