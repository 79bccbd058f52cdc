import type { Command } from 'commander';
import { AppError } from '../../../base/errors.ts';
import { MICROS_PER_MILLISECOND, type Micros } from '../../../base/instant.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { changeRule } from '../../../domain/alerts/rules/change-rule.ts';
import { shownRule } from '../../../domain/alerts/rules/rule-fields.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { time } from '../command-line/instants.ts';
import { withConnections } from '../connections/database.ts';
import {
  changeOf,
  NONE,
  orNothing,
  type RuleOptions,
  withFlags,
  withRuleOptions,
} from '../parts/rule-options.ts';
import { sayRule } from '../parts/rule-row.ts';

interface Options extends RuleOptions {
  org: number;
  rule: string;
  validFrom?: Micros;
  endsAt?: Micros | typeof NONE;
  json?: boolean;
}

export function addRuleSet(program: Command): void {
  withRuleOptions(
    addCommand(program, 'rule', 'set')
      .description(
        'Change a rule from now on, or from another time on. What is left out stays as it is; none takes away what was set.',
      )
      .requiredOption('--org <id>', 'the organization', id)
      .requiredOption('--rule <id>', 'which rule'),
  )
    .option(
      '--valid-from <time>',
      'from when on this counts, RFC 3339; up to 31 days ago; if left out now, or when the rule as it is begins',
      time,
    )
    .option(
      '--ends-at <time>',
      'when the rule ends, RFC 3339; if left out as planned, unless this change begins only then',
      (text) => (text === NONE ? text : time(text)),
    )
    .addHelpText(
      'after',
      `\nExamples:\n  ${TAGTRAIL} rule set --org 1 --rule=01KQSA8N2V6T4W8XJY3ZB5D7FH --after 10m` +
        `\n  ${TAGTRAIL} rule set --org 1 --rule=01KQSA8N2V6T4W8XJY3ZB5D7FH --then none --asset none`,
    )
    .action(async (options: Options) => {
      const { org: orgId, rule: id, validFrom = null } = options;
      const given = { ...changeOf(options), endsAt: orNothing(options.endsAt) };
      if (Object.values(given).every((value) => value === undefined)) {
        throw new AppError(
          'invalid_input',
          'Nothing to change: give what is to be different, such as --after',
        );
      }
      const rule = await withConnections(async ({ db, actor }) => {
        const now = Date.now() * MICROS_PER_MILLISECOND;
        return shownRule(
          db,
          await withFlags(changeRule(db, actor, now, { orgId, id }, { ...given, validFrom })),
        );
      });
      printResult(
        {
          json: rule,
          text: forTerminal(
            `Rule ${rule.id} (${rule.name}): ${sayRule(rule)}; from ${rule.valid_from} ${untilText(rule.ends_at)}`,
          ),
        },
        options,
      );
    });
}

function untilText(endsAt: string | null): string {
  return endsAt === null ? 'on' : `until ${endsAt}`;
}
