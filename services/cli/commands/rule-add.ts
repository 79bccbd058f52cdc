import type { Command } from 'commander';
import { MICROS_PER_MILLISECOND, type Micros } from '../../../base/instant.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { createRule } from '../../../domain/alerts/rules/create-rule.ts';
import type { Kind } from '../../../domain/alerts/rules/rule.ts';
import { shownRule } from '../../../domain/alerts/rules/rule-fields.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { time } from '../command-line/instants.ts';
import { withConnections } from '../connections/database.ts';
import { changeOf, kind, type RuleOptions, withFlags, withRuleOptions } from '../parts/rule-options.ts';
import { sayRule } from '../parts/rule-row.ts';

interface Options extends RuleOptions {
  org: number;
  kind: Kind;
  validFrom?: Micros;
  json?: boolean;
}

export function addRuleAdd(program: Command): void {
  withRuleOptions(
    addCommand(program, 'rule', 'add')
      .description(
        'Have an alert raised when something is not where it should be. Try it first: tagtrail rule try takes the same.',
      )
      .requiredOption('--org <id>', 'the organization', id)
      .requiredOption(
        '--kind <kind>',
        'overdue: not read for longer than --after while somebody listened; dwell: longer than --after at --at; ' +
          'not_allowed: at --at at all; must_be: outside --at; reader: a reader is silent or disconnected',
        kind,
      ),
  )
    .option(
      '--valid-from <time>',
      'from when on it counts, RFC 3339; up to 31 days ago; now if left out',
      time,
    )
    .addHelpText(
      'after',
      `\nExamples:\n  ${TAGTRAIL} rule add --org 1 --kind overdue --after 5m --then 30m --within COLD-ROOM` +
        `\n  ${TAGTRAIL} rule add --org 1 --kind dwell --at DOCK-1 --after 2h --then 4h --metadata owner=ACME` +
        `\n  ${TAGTRAIL} rule add --org 1 --kind must_be --at HALL-1 --after 10m --asset PUMP-1 PUMP-2 ` +
        '--hours "Mon-Fri 07:00-18:00" --time-zone Europe/Berlin' +
        `\n  ${TAGTRAIL} rule add --org 1 --kind reader --after 10m --mail anna@example.com`,
    )
    .action(async (options: Options) => {
      const { org: orgId, kind, validFrom } = options;
      const rule = await withConnections(async ({ db, actor }) => {
        const now = Date.now() * MICROS_PER_MILLISECOND;
        return shownRule(
          db,
          await withFlags(createRule(db, actor, now, { orgId, kind, validFrom, ...changeOf(options) })),
        );
      });
      printResult(
        {
          json: rule,
          text: forTerminal(`Rule ${rule.id} (${rule.name}): ${sayRule(rule)}; from ${rule.valid_from} on`),
        },
        options,
      );
    });
}
