import type { Command } from 'commander';
import { AppError } from '../../../base/errors.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { requireLiveByKey } from '../../../domain/master-data/live-by-key.ts';
import { requirePast } from '../../../domain/reports/require-past.ts';
import { firstAfter } from '../../../domain/reports/window.ts';
import { explain, NotSeenYet } from '../../../domain/tracking/why/explain.ts';
import { namesIn } from '../../../domain/tracking/why/names.ts';
import type { TimeBound } from '../../../platform/http/parameters.ts';
import { addTopCommand, id, printResult } from '../command-line/command-line.ts';
import { reportTime, shownTime } from '../command-line/instants.ts';
import { withConnections } from '../connections/database.ts';
import { whyJson } from '../parts/why-json.ts';
import { whyText } from '../parts/why-text.ts';

interface Options {
  org: number;
  asset: string;
  at?: TimeBound;
  json?: boolean;
}

export function addWhy(program: Command): void {
  addTopCommand(program, 'why')
    .helpGroup('Assets and locations:')
    .description(
      'Say why an asset is where it is, or was at a time: the scan that decided it and why it counts, what else was read then, and what was said before.',
    )
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--asset <key>', 'the asset, by its external key')
    .option('--at <time>', 'where it was at this time, RFC 3339; without this where it is now', reportTime)
    .addHelpText(
      'after',
      `\nExamples:\n  ${TAGTRAIL} why --org 1 --asset FORKLIFT-2` +
        `\n  ${TAGTRAIL} why --org 1 --asset FORKLIFT-2 --at 2026-05-04T08:00:00Z`,
    )
    .action(async (options: Options) => {
      const { org: orgId, asset: externalKey } = options;
      const at = options.at === undefined ? null : firstAfter(options.at) - 1;
      const result = await withConnections(async ({ db, pool }) => {
        await requirePast(db, at === null ? {} : { at });
        await requireLiveOrganization(db, orgId);
        const assetId = await requireLiveByKey(db, 'asset', orgId, externalKey);
        const explanation = await explain(pool, { orgId, assetId }, at);
        if (explanation instanceof NotSeenYet) {
          throw new AppError('not_found', sayNotSeen(externalKey, explanation, orgId));
        }
        const names = await namesIn(db, orgId, explanation);
        return {
          json: whyJson({ id: assetId, external_key: externalKey }, explanation, names),
          text: whyText(externalKey, explanation, names),
        };
      });
      printResult(result, options);
    });
}

function sayNotSeen(externalKey: string, { firstSeen }: NotSeenYet, orgId: number): string {
  return firstSeen === null
    ? `Asset ${externalKey} has never been seen; reads of tags that belong to nothing are listed by: tagtrail unknown-tags list --org ${orgId}`
    : `Asset ${externalKey} was first seen at ${shownTime(firstSeen)}; ask for that time or a later one`;
}
