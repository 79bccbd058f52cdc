import { orNotFound } from '../../../base/errors.ts';
import type { Micros } from '../../../base/instant.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { acknowledgeAlert } from '../../../domain/alerts/acknowledge-alert.ts';
import { findAlert, listAlerts } from '../../../domain/alerts/listing/list-alerts.ts';
import { shownAlert } from '../../../domain/alerts/listing/listed-alert.ts';
import type { AlertTold } from '../../../domain/moves/alert-event.ts';
import { wakingSealer } from '../../../domain/moves/wake-sealer.ts';
import { addCommand, type Command, id, oneOf, wholeNumber } from '../command-line/command-line.ts';
import { time } from '../command-line/instants.ts';
import { listTable } from '../command-line/list-table.ts';
import { withConnections } from '../connections/database.ts';

export function addAlert(program: Command): void {
  addAlertList(program);
  addAlertAcknowledge(program);
}

interface ListOptions {
  org: number;
  state?: AlertTold['state'];
  from?: Micros;
  to?: Micros;
  limit: number;
}

function addAlertList(program: Command): void {
  addCommand(program, 'alert', 'list')
    .description('List the alerts of an organization, the last opened first.')
    .requiredOption('--org <id>', 'the organization', id)
    .option(
      '--state <state>',
      'only open, acknowledged, closed or withdrawn ones',
      oneOf('open', 'acknowledged', 'closed', 'withdrawn'),
    )
    .option('--from <time>', 'only those still going on at this time (RFC 3339)', time)
    .option('--to <time>', 'only those that were opened before', time)
    .option('--limit <number>', 'how many at most', wholeNumber(1, 100_000), 100)
    .addHelpText(
      'after',
      `\nJSON: alerts as the API lists them.\n\nExamples:\n  ${TAGTRAIL} alert list --org 1 --state open`,
    )
    .prints(async ({ org, state, ...options }: ListOptions) => {
      const { rows } = await withConnections(async ({ db }) => {
        await requireLiveOrganization(db, org);
        return listAlerts(db, org, {
          ...{ from: options.from, to: options.to, limit: options.limit, offset: 0 },
          state: state === undefined ? undefined : [state],
          sort: [{ field: 'opened_at', isDescending: true }],
        });
      });
      const alerts = rows.map(shownAlert);
      return { json: alerts, text: alerts.length === 0 ? 'No alerts.' : asTable(alerts) };
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

function addAlertAcknowledge(program: Command): void {
  addCommand(program, 'alert', 'acknowledge')
    .description(
      'Acknowledge an open alert. An alert that is acknowledged already, or over, does not change.',
    )
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--alert <id>', 'its id, from alert list')
    .addHelpText(
      'after',
      `\nJSON: the alert as the API shows it.\n\nExample:\n  ${TAGTRAIL} alert acknowledge --org 1 --alert 01KQSB3M8R0E5T9V2W4X6Y8Z1B`,
    )
    .prints(async ({ org: orgId, ...options }: { org: number; alert: string }) => {
      const alert = await withConnections(async ({ db, pool, actor }) => {
        await requireLiveOrganization(db, orgId);
        await wakingSealer(pool, async (onMoves) => {
          await acknowledgeAlert(db, actor, { orgId, id: options.alert }, actor.id);
          onMoves([orgId]);
        });
        const row = await orNotFound('Alert not found', findAlert(db, orgId, options.alert));
        return shownAlert(row);
      });
      return { json: alert, text: `Alert ${options.alert} is ${alert.state}.` };
    });
}
