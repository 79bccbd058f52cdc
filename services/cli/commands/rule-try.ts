import type { Command } from 'commander';
import { AppError } from '../../../base/errors.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { MOST_ASSETS } from '../../../domain/alerts/conditions/load-asset-evidence.ts';
import type { Kind } from '../../../domain/alerts/rules/rule.ts';
import { runTrial } from '../../../domain/alerts/trial/run-trial.ts';
import { trialOf } from '../../../domain/alerts/trial/trial-of.ts';
import { makeChange, unchanged } from '../../../domain/changes/make-change.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { withConnections } from '../connections/database.ts';
import {
  changeOf,
  duration,
  kind,
  type RuleOptions,
  withFlags,
  withRuleOptions,
} from '../parts/rule-options.ts';
import { MOST_ALERTS, nounOf, trialText } from '../parts/rule-trial.ts';
import { showProgress } from '../running/progress.ts';

interface Options extends RuleOptions {
  org: number;
  kind?: Kind;
  rule?: string;
  since?: Micros;
  json?: boolean;
}

export function addRuleTry(program: Command): void {
  withRuleOptions(
    addCommand(program, 'rule', 'try')
      .description(
        'Try a rule on what was recorded, as if it had always been there, and say which alerts it would have raised. ' +
          'Nothing is stored.',
      )
      .requiredOption('--org <id>', 'the organization', id)
      .option('--kind <kind>', 'of a new rule, as rule add takes it', kind)
      .option('--rule <id>', 'a rule that is there, with what else is given changed'),
  )
    .option('--since <duration>', 'how far back, as 14d, 12h; at most 31d, 14d if left out', duration)
    .addHelpText(
      'after',
      `\nExamples:\n  ${TAGTRAIL} rule try --org 1 --kind overdue --after 5m --then 30m --since 7d` +
        `\n  ${TAGTRAIL} rule try --org 1 --rule=01KQSA8N2V6T4W8XJY3ZB5D7FH --after 10m`,
    )
    .action(async (options: Options) => {
      const { result, kind } = await withConnections(async ({ db, actor }) => {
        await requireLiveOrganization(db, options.org);
        const now = Math.floor(Date.now() / 1_000) * MICROS_PER_SECOND;
        const trial = await withFlags(
          makeChange(db, actor, async (change) =>
            unchanged(await trialOf(change, now, wantedOf(options, now))),
          ),
        );
        const { kind } = trial.settings;
        const progress = showProgress();
        const goesOn = (looked: number, of: number) => {
          progress.show(`${looked} of ${of} ${nounOf(kind)}`);
          return true;
        };
        try {
          const bounds = { alerts: MOST_ALERTS, subjects: 1_000 };
          const result = await runTrial(db, trial, { bounds, batch: MOST_ASSETS, goesOn });
          return { result, kind };
        } finally {
          progress.end();
        }
      });
      printResult({ json: result, text: trialText(kind, result) }, options);
    });
}

function wantedOf(options: Options, now: Micros) {
  const { org: orgId, kind, rule, since } = options;
  if ((kind === undefined) === (rule === undefined)) {
    throw new AppError('invalid_input', 'Give either --kind, of a new rule, or --rule, of one that is there');
  }
  const of = kind === undefined ? { id: rule ?? '' } : { kind };
  return { orgId, of, since: since === undefined ? null : now - since, ...changeOf(options) };
}
