import type { Command } from 'commander';
import { MICROS_PER_MILLISECOND, type Micros } from '../../../base/instant.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { endRule } from '../../../domain/alerts/rules/change-rule.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { shownTime, time } from '../command-line/instants.ts';
import { withConnections } from '../connections/database.ts';
import { withFlags } from '../parts/rule-options.ts';

interface Options {
  org: number;
  rule: string;
  validFrom?: Micros;
  json?: boolean;
}

export function addRuleRemove(program: Command): void {
  addCommand(program, 'rule', 'remove')
    .description('End a rule: nothing more is raised by it, and its open alerts are closed.')
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--rule <id>', 'which rule')
    .option('--valid-from <time>', 'when it ends, RFC 3339; up to 31 days ago; now if left out', time)
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} rule remove --org 1 --rule=01KQSA8N2V6T4W8XJY3ZB5D7FH`)
    .action(async (options: Options) => {
      const { org: orgId, rule: id, validFrom = null } = options;
      const rule = await withConnections(({ db, actor }) => {
        const now = Date.now() * MICROS_PER_MILLISECOND;
        return withFlags(endRule(db, actor, now, { orgId, id }, { validFrom }));
      });
      const { name } = rule.settings;
      const endsAt = shownTime(rule.endsAt);
      printResult(
        {
          json: { id, name, ends_at: endsAt },
          text: forTerminal(`Rule ${id} (${name}) is removed: it ends at ${endsAt}.`),
        },
        options,
      );
    });
}
