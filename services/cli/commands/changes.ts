import { Option } from 'commander';
import { AppError } from '../../../base/errors.ts';
import type { Micros } from '../../../base/instant.ts';
import { writeJson } from '../../../base/json/json-text.ts';
import { wireTime } from '../../../base/timestamps.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { requireOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { changeView } from '../../../domain/changes/change-view.ts';
import { type LoggedChange, listChanges } from '../../../domain/changes/list-changes.ts';
import { addCommand, type Command, id, wholeNumber } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { time } from '../command-line/instants.ts';
import { listTable } from '../command-line/list-table.ts';
import { withConnections } from '../connections/database.ts';

interface Options {
  org?: number;
  installation?: true;
  since?: Micros;
  limit: number;
}

export function addChanges(program: Command): void {
  addCommand(program, 'changes', 'list')
    .description(
      'List who changed what, newest first: assets, locations and their tags, readers, antennas, location settings, keys, ' +
        'handhelds, webhooks, MQTT consumers and the organization itself, by any interface. Changes are ' +
        'kept for good; addresses of sign-ins are removed after ADDRESS_RETENTION_DAYS.',
    )
    .addOption(new Option('--org <id>', 'those of an organization').argParser(id).conflicts('installation'))
    .option('--installation', 'changes outside organizations, such as formats')
    .option('--since <time>', 'only those from this time on (RFC 3339)', time)
    .option('--limit <number>', 'how many at most', wholeNumber(1, 100_000), 100)
    .addHelpText(
      'after',
      `
JSON: [{id, at, actor: {type, id}, action, resource: {type, id, external_key}, before, after, request_id}]. before and
after have the fields that changed; a value of more than 8 KiB is {left_out: {bytes, sha256}}. The type of an actor is
key, user, handheld or command_line.

Examples:
  ${TAGTRAIL} changes list --org 1 --since 2026-05-01T00:00:00Z
  ${TAGTRAIL} changes list --installation`,
    )
    .prints(async (options: Options) => {
      const { org: orgId = null, since = null, limit } = options;
      if (orgId === null && options.installation !== true) {
        throw new AppError(
          'invalid_input',
          'Say whose changes: --org with an organization, or --installation',
        );
      }
      const changes = await withConnections(async ({ db }) => {
        if (orgId !== null) {
          await requireOrganization(db, orgId);
        }
        return listChanges(db, orgId, { since, limit });
      });
      return {
        json: changes.map(changeView),
        text: changes.length === 0 ? 'No changes.' : changesTable(changes),
      };
    });
}

function changesTable(changes: readonly LoggedChange[]): string {
  return listTable(
    ['at', 'action', 'what', 'by', 'change', 'request'],
    changes.map((change) => [
      wireTime(change.at),
      change.action,
      `${change.resource_type} ${change.external_key ?? change.resource_id}`,
      `${change.actor_type} ${change.actor_id}`,
      forTerminal(differencesOf(change), MOST_SHOWN),
      change.request_id ?? '-',
    ]),
  ).join('\n');
}

/** UTF-16 units; `--json` has all. */
const MOST_SHOWN = 300;

/** `name "Dock" -> "Dock 2", is_active true -> false`. */
function differencesOf({ before, after }: LoggedChange): string {
  const [was, is] = [valuesIn(before), valuesIn(after)];
  return Object.keys({ ...was, ...is })
    .map((name) => {
      const [from, to] = [was[name], is[name]].map((value) => writeJson(value) as string | undefined);
      return from === undefined ? `${name} ${to}` : `${name} ${from} -> ${to ?? 'null'}`;
    })
    .join(', ');
}

function valuesIn(json: string | null): Record<string, unknown> {
  return json === null ? {} : JSON.parse(json);
}
