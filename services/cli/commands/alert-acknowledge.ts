import type { Command } from 'commander';
import { notFound } from '../../../base/errors.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { acknowledgeAlert } from '../../../domain/alerts/acknowledge-alert.ts';
import { findAlert } from '../../../domain/alerts/listing/list-alerts.ts';
import { shownAlert } from '../../../domain/alerts/listing/listed-alert.ts';
import { wakingSealer } from '../../../domain/moves/wake-sealer.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { withConnections } from '../connections/database.ts';

export function addAlertAcknowledge(program: Command): void {
  addCommand(program, 'alert', 'acknowledge')
    .description(
      'Say that somebody has taken notice of an open alert. One that was acknowledged before, or is over, stays as it is.',
    )
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--alert <id>', 'which one, as alert list shows it')
    .addHelpText(
      'after',
      `\nJSON: the alert as the API shows it.\n\nExample:\n  ${TAGTRAIL} alert acknowledge --org 1 --alert 01KQSB3M8R0E5T9V2W4X6Y8Z1B`,
    )
    .action(async ({ org: orgId, ...options }: { org: number; alert: string; json?: boolean }) => {
      const alert = await withConnections(async ({ db, pool, actor }) => {
        await requireLiveOrganization(db, orgId);
        await wakingSealer(pool, async (onMoves) => {
          await acknowledgeAlert(db, actor, { orgId, id: options.alert }, actor.id);
          onMoves([orgId]);
        });
        const row = await findAlert(db, orgId, options.alert);
        if (row === null) {
          throw notFound('Alert not found');
        }
        return shownAlert(row);
      });
      printResult({ json: alert, text: `Alert ${options.alert} is ${alert.state}.` }, options);
    });
}
