import type { Command } from 'commander';
import type { Micros } from '../../../base/instant.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { listAlerts } from '../../../domain/alerts/listing/list-alerts.ts';
import { shownAlert } from '../../../domain/alerts/listing/listed-alert.ts';
import type { AlertTold } from '../../../domain/moves/alert-event.ts';
import { addCommand, id, oneOf, printResult, wholeNumber } from '../command-line/command-line.ts';
import { time } from '../command-line/instants.ts';
import { listTable } from '../command-line/list-table.ts';
import { withConnections } from '../connections/database.ts';

interface Options {
  org: number;
  state?: AlertTold['state'];
  from?: Micros;
  to?: Micros;
  limit: number;
  json?: boolean;
}

export function addAlertList(program: Command): void {
  addCommand(program, 'alert', 'list')
    .description('List the alerts of an organization, those that were opened last first.')
    .requiredOption('--org <id>', 'the organization', id)
    .option(
      '--state <state>',
      'only those that are open, acknowledged, closed or withdrawn',
      oneOf('open', 'acknowledged', 'closed', 'withdrawn'),
    )
    .option('--from <time>', 'only those that were not over at this time (RFC 3339)', time)
    .option('--to <time>', 'only those that were opened before', time)
    .option('--limit <number>', 'at most so many', wholeNumber(1, 100_000), 100)
    .addHelpText(
      'after',
      `\nJSON: alerts as the API lists them.\n\nExamples:\n  ${TAGTRAIL} alert list --org 1 --state open`,
    )
    .action(async ({ org, state, ...options }: Options) => {
      const { rows } = await withConnections(async ({ db }) => {
        await requireLiveOrganization(db, org);
        return listAlerts(db, org, {
          ...{ from: options.from, to: options.to, limit: options.limit, offset: 0 },
          state: state === undefined ? undefined : [state],
          sort: [{ field: 'opened_at', isDescending: true }],
        });
      });
      const alerts = rows.map(shownAlert);
      printResult({ json: alerts, text: alerts.length === 0 ? 'No alerts.' : asTable(alerts) }, options);
    });
}

function asTable(alerts: readonly AlertTold[]): string {
  return listTable(
    ['opened at', 'state', 'rule', 'about', 'location', 'closed at', 'acknowledged by', 'id'],
    alerts.map((alert) => [
      alert.opened_at,
      alert.level === null ? alert.state : `${alert.state} (${alert.level})`,
      alert.rule.name,
      alert.asset?.external_key ?? `reader ${alert.reader?.name}`,
      alert.location?.external_key ?? '-',
      alert.closed_at ?? '-',
      alert.acknowledged_by ?? '-',
      alert.id,
    ]),
  ).join('\n');
}
