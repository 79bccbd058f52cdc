import { type Command, InvalidArgumentError, Option } from 'commander';
import { MICROS_PER_DAY, type Micros } from '../../../base/instant.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { setLocating } from '../../../domain/administration/locating/set-locating.ts';
import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { userNames } from '../../../domain/administration/users/user-names.ts';
import { MOST_SETTINGS } from '../../../domain/tracking/location/insert-setting.ts';
import {
  CERTAINTY,
  type Deciding,
  SettingFault,
  TAG_DBM,
} from '../../../domain/tracking/location/require-setting.ts';
import { settingHistory } from '../../../domain/tracking/location/setting-history.ts';
import { readSettings } from '../../../platform/runtime/settings.ts';
import { TIME_SETTINGS } from '../../../platform/runtime/time-settings.ts';
import { addCommand, id, printResult } from '../command-line/command-line.ts';
import { shownTime, time } from '../command-line/instants.ts';
import { listTable } from '../command-line/list-table.ts';
import { withConnections } from '../connections/database.ts';
import { describeRecomputed, interrupted, recomputeShowing, shownRecomputed } from '../parts/recompute.ts';
import { running } from '../running/running.ts';

export function addLocate(program: Command): void {
  addLocateSet(program);
  addLocateList(program);
}

interface SetOptions extends DecidingOptions {
  org: number;
  location?: string;
  from?: Micros;
  json?: boolean;
}

function addLocateSet(program: Command): void {
  withDecidingOptions(
    addCommand(program, 'locate', 'set')
      .description(
        'Set how it is decided where assets are that several antennas hear. From a time in the past, histories are decided again.',
      )
      .requiredOption('--org <id>', 'the organization', id)
      .option('--location <key>', 'only of this location and all below it, by its external key'),
  )
    .addOption(
      new Option('--inherit', "the location's own setting ends").conflicts(['by', 'certainty', 'tagDbm']),
    )
    .option('--from <time>', 'for scans observed from then on, RFC 3339; default: now', time)
    .addHelpText(
      'after',
      `\nExamples:\n  ${TAGTRAIL} locate set --org 1 --location HALL --by strength` +
        `\n  ${TAGTRAIL} locate set --org 1 --location HALL --by strength --certainty 2 --from 2026-05-01T06:00:00Z` +
        `\n  ${TAGTRAIL} locate set --org 1 --location GATE --by every`,
    )
    .action(async (options: SetOptions) => {
      const { org: orgId, location: locationExternalKey = null, from = null } = options;
      const wanted = { orgId, locationExternalKey, from, ...decidingOf(options, null) };
      await withConnections(async ({ db, actor, pool }) => {
        const made = await setLocating(db, actor, wanted, { retention: scanRetention() });
        const { validFrom, until, isPast } = made;
        const recomputed = isPast ? await recomputeShowing(pool, orgId) : null;
        const lines = [
          `${locationExternalKey ?? `Organization ${orgId}`}: ${described(made)}; for scans observed from ${shownTime(validFrom)}` +
            (until === null ? '' : ` until ${shownTime(until)}, when another setting begins`),
          ...(recomputed === null ? [] : [describeRecomputed(recomputed, false)]),
        ];
        printResult(
          {
            json: {
              org_id: orgId,
              location_external_key: locationExternalKey,
              ...shown(made),
              valid_from: shownTime(validFrom),
              valid_to: until === null ? null : shownTime(until),
              recomputed: recomputed === null ? null : shownRecomputed(recomputed, false),
            },
            text: lines.join('\n'),
          },
          options,
        );
        if (recomputed?.isFinished === false) {
          throw interrupted(`the setting is made; ${TAGTRAIL} history recompute --org ${orgId} goes on`);
        }
      });
    });
}

function scanRetention(): Micros {
  const { SCAN_RETENTION_DAYS } = readSettings(TIME_SETTINGS, running().env);
  return SCAN_RETENTION_DAYS * MICROS_PER_DAY;
}

function addLocateList(program: Command): void {
  addCommand(program, 'locate', 'list')
    .description('List the settings that were made, newest first, with who made them.')
    .requiredOption('--org <id>', 'the organization', id)
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} locate list --org 1`)
    .action(async (options: { org: number; json?: boolean }) => {
      const rows = await withConnections(async ({ db, pool }) => {
        await requireLiveOrganization(db, options.org);
        const made = await settingHistory(db, options.org, MOST_SETTINGS);
        const users = made.flatMap(({ actor_type: type, actor_id: user }) =>
          type === 'user' && user !== null ? user : [],
        );
        const names = await userNames(pool, users);
        return made.map((each) => ({
          location_external_key: each.location_external_key,
          ...shown({ ...each, tagDbm: each.tag_dbm }),
          valid_from: shownTime(each.valid_from),
          state: each.state,
          actor: each.actor_id === null ? null : (names.get(each.actor_id) ?? each.actor_id),
        }));
      });
      const table = listTable(
        ['from', 'location', 'setting', 'state', 'by'],
        rows.map((row) => [
          row.valid_from,
          row.location_external_key ?? 'organization',
          described({ ...row, tagDbm: row.tag_dbm }),
          row.state.replace('_', ' '),
          row.actor ?? '',
        ]),
      );
      const text = rows.length === 0 ? 'none: every scan says where its asset is' : table.join('\n');
      printResult({ json: rows, text }, options);
    });
}

interface DecidingOptions {
  by?: Deciding['procedure'];
  certainty?: number;
  tagDbm?: number;
  inherit?: true;
}

function withDecidingOptions(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--by <procedure>',
        'every scan; strength of what antennas hear; position on a plan with a scale',
      ).choices(['every', 'strength', 'position']),
    )
    .option(
      '--certainty <factor>',
      `of strength and position: 0.5 follows faster and errs more, 2 waits for more; default: ${CERTAINTY.usual}`,
      asNumber,
    )
    .option(
      '--tag-dbm <dBm>',
      `of position: strength of the tags at 1 m; default: ${TAG_DBM.usual}`,
      asNumber,
    );
}

/** @param usual the procedure where none is named; null if one has to be. @throws SettingFault `invalid_input`. */
function decidingOf(options: DecidingOptions, usual: Deciding['procedure'] | null): Deciding {
  const { by = usual, certainty = null, tagDbm = null, inherit } = options;
  if (inherit === true) {
    return { procedure: 'inherit', certainty: null, tagDbm: null };
  }
  if (by === null) {
    throw new SettingFault(
      'procedure',
      'Give --by every, --by strength or --by position; or, for a location, --inherit',
    );
  }
  return { procedure: by, certainty, tagDbm };
}

function asNumber(text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  if (!Number.isFinite(number)) {
    throw new InvalidArgumentError('It must be a number.');
  }
  return number;
}

function shown({ procedure, certainty, tagDbm }: Deciding) {
  return { procedure, certainty, tag_dbm: tagDbm };
}

function described({ procedure, certainty, tagDbm }: Deciding): string {
  const tags = tagDbm === null ? '' : `, tags ${tagDbm} dBm at 1 m`;
  return procedure === 'every'
    ? 'every scan'
    : procedure === 'inherit'
      ? 'none of its own'
      : `by ${procedure}, certainty ${certainty}${tags}`;
}
