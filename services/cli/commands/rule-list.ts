import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { shownRules } from '../../../domain/alerts/rules/rule-fields.ts';
import { listRules } from '../../../domain/alerts/rules/stored-rules.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { withConnections } from '../connections/database.ts';
import { rulesTable } from '../parts/rule-row.ts';

export function addRuleList(program: Command): void {
  addCommand(program, 'rule', 'list')
    .description('List the rules of an organization, oldest first.')
    .requiredOption('--org <id>', 'the organization', id)
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} rule list --org 1`)
    .action(async (options: { org: number; json?: boolean }) => {
      const rules = await withConnections(async ({ db }) => {
        await requireLiveOrganization(db, options.org);
        return shownRules(db, options.org, await listRules(db, options.org));
      });
      printResult({ json: rules, text: rules.length === 0 ? 'No rules.' : rulesTable(rules) }, options);
    });
}
