import { Option } from 'commander';
import { AppError } from '../../../base/errors.ts';
import {
  MICROS_PER_DAY,
  MICROS_PER_MILLISECOND,
  MICROS_PER_SECOND,
  type Micros,
} from '../../../base/instant.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';
import { removeLocating, setLocating } from '../../../domain/administration/locating/set-locating.ts';
import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { userNames } from '../../../domain/administration/users/list-users.ts';
import { requireLiveByKey } from '../../../domain/master-data/by-id-or-key.ts';
import { MOST_WALKED } from '../../../domain/tracking/location/compare-walk.ts';
import {
  LACK_WORDS,
  type Lack,
  lackOf,
  positionSettings,
} from '../../../domain/tracking/location/position-lacks.ts';
import {
  CERTAINTY,
  type Deciding,
  requireDeciding,
  SettingFault,
  TAG_DBM,
} from '../../../domain/tracking/location/require-setting.ts';
import { runTrial, type TrialSummary } from '../../../domain/tracking/location/run-trial.ts';
import { type MadeSetting, settingHistory } from '../../../domain/tracking/location/setting-history.ts';
import { MOST_SETTINGS } from '../../../domain/tracking/location/site.ts';
import type { PairCounts } from '../../../domain/tracking/location/tally-pairs.ts';
import { locationKeys, recordedPeriod } from '../../../domain/tracking/location/try-on-assets.ts';
import { TIME_SETTINGS } from '../../../platform/runtime/common-settings.ts';
import { readSettings } from '../../../platform/runtime/settings.ts';
import {
  addCommand,
  asNumber,
  type Command,
  type CommandResult,
  examples,
  id,
  printResult,
} from '../command-line/command-line.ts';
import { shownTime, time } from '../command-line/instants.ts';
import { listTable } from '../command-line/list-table.ts';
import { withConnections } from '../connections/database.ts';
import { describeRecomputed, interrupted, recomputeShowing, shownRecomputed } from '../parts/recompute.ts';
import { running, showProgress } from '../running/running.ts';

export function addLocate(program: Command): void {
  addLocateSet(program);
  addLocateRemove(program);
  addLocateList(program);
  addLocateTry(program);
}

interface SetOptions extends DecidingOptions {
  org: number;
  location?: string;
  from?: Micros;
}

function addLocateSet(program: Command): void {
  withDecidingOptions(
    addCommand(program, 'locate', 'set')
      .description(
        'Set what decides where an asset is when several antennas hear it. If it begins in the past, histories are recomputed.',
      )
      .requiredOption('--org <id>', 'the organization', id)
      .option('--location <key>', 'only of this location and all below it, by its external key'),
  )
    .addOption(
      new Option('--inherit', "the location's own setting ends").conflicts([
        'by',
        'certainty',
        'tagDbm',
        'tagKinds',
      ]),
    )
    .option('--from <time>', 'for scans observed from then on, RFC 3339; default: now', time)
    .addHelpText(
      ...examples(
        'locate set --org 1 --location HALL --by strength',
        'locate set --org 1 --location HALL --by strength --certainty 2 --from 2026-05-01T06:00:00Z',
        'locate set --org 1 --location HALL --by position --tag-dbm -59 --tag-kinds AC233F=-65,DD33=-70.5',
        'locate set --org 1 --location GATE --by every',
      ),
    )
    .action(async (options: SetOptions) => {
      const { org: orgId, location: locationExternalKey = null, from = null } = options;
      const wanted = { orgId, locationExternalKey, from, ...decidingOf(options, null) };
      await withConnections(async ({ db, actor, pool }) => {
        const made = await setLocating(db, actor, wanted, { retention: scanRetention() });
        const { validFrom, until, isPast, settingId } = made;
        const recomputed =
          isPast && settingId !== null ? await recomputeShowing(pool, orgId, { settingId }) : null;
        const lines = [
          `${locationExternalKey ?? `Organization ${orgId}`}: ${described(made)}; for scans observed from ${shownTime(validFrom)}` +
            (until === null ? '' : ` until ${shownTime(until)}, when another setting begins`),
          ...(made.lacks === null ? [] : [sayLack(made.lacks)]),
          ...(recomputed === null ? [] : [describeRecomputed(recomputed, false)]),
        ];
        printResult({
          json: {
            org_id: orgId,
            location_external_key: locationExternalKey,
            ...shown(made),
            valid_from: shownTime(validFrom),
            valid_to: until === null ? null : shownTime(until),
            position_lacks: made.lacks,
            recomputed: recomputed === null ? null : shownRecomputed(recomputed, false),
          },
          text: lines.join('\n'),
        });
        if (recomputed?.isFinished === false) {
          throw interrupted(`the setting is made; ${TAGTRAIL} history recompute --org ${orgId} goes on`);
        }
      });
    });
}

function addLocateRemove(program: Command): void {
  addCommand(program, 'locate', 'remove')
    .description('Remove a setting that has not begun yet.')
    .requiredOption('--org <id>', 'the organization', id)
    .option('--location <key>', 'its location, by its external key; default: the organization')
    .requiredOption('--from <time>', 'when it begins, as locate list shows it, RFC 3339', time)
    .addHelpText(...examples('locate remove --org 1 --location HALL --from 2027-01-04T06:00:00Z'))
    .prints(async (options: { org: number; location?: string; from: Micros }) => {
      const { org: orgId, location: locationExternalKey = null, from } = options;
      await withConnections(({ db, actor }) =>
        removeLocating(db, actor, orgId, { locationExternalKey, from }),
      );
      const where = locationExternalKey ?? `Organization ${orgId}`;
      return {
        json: {
          org_id: orgId,
          location_external_key: locationExternalKey,
          valid_from: shownTime(from),
        },
        text: `${where}: the setting from ${shownTime(from)} is removed`,
      };
    });
}

function scanRetention(): Micros {
  const { SCAN_RETENTION_DAYS } = readSettings(TIME_SETTINGS, running().env);
  return SCAN_RETENTION_DAYS * MICROS_PER_DAY;
}

function addLocateList(program: Command): void {
  addCommand(program, 'locate', 'list')
    .description('List the settings, newest first, with their authors.')
    .requiredOption('--org <id>', 'the organization', id)
    .addHelpText(...examples('locate list --org 1'))
    .prints(async (options: { org: number }) => {
      const rows = await withConnections(async ({ db, pool }) => {
        await requireLiveOrganization(db, options.org);
        const made = await settingHistory(db, options.org, MOST_SETTINGS);
        const users = made.flatMap(({ actor_type: type, actor_id: user }) =>
          type === 'user' && user !== null ? user : [],
        );
        const names = await userNames(pool, users);
        const positions = await positionSettings(db, options.org);
        return made.map((each) => ({
          location_external_key: each.location_external_key,
          ...shown({ ...each, tagDbm: each.tag_dbm, tagKinds: each.tag_kinds }),
          valid_from: shownTime(each.valid_from),
          state: each.state,
          recomputed: each.recomputed,
          position_lacks: lackOf(each, positions),
          actor: each.actor_id === null ? null : (names.get(each.actor_id) ?? each.actor_id),
        }));
      });
      const table = listTable(
        ['from', 'location', 'setting', 'state', 'by'],
        rows.map((row) => [
          row.valid_from,
          row.location_external_key ?? 'organization',
          described({ ...row, tagDbm: row.tag_dbm, tagKinds: row.tag_kinds }),
          row.state.replace('_', ' '),
          row.actor ?? '',
        ]),
      );
      const notes = rows.flatMap(({ location_external_key: key, recomputed, position_lacks: lack }) =>
        [...sayRecomputing(recomputed), ...(lack === null ? [] : [sayLack(lack)])].map(
          (note) => `${key ?? 'organization'}: ${note}`,
        ),
      );
      const text =
        rows.length === 0
          ? 'none: every scan says where its asset is'
          : [...table, ...(notes.length > 0 ? ['', ...notes] : [])].join('\n');
      return { json: rows, text };
    });
}

function sayRecomputing(recomputed: MadeSetting['recomputed']): string[] {
  if (recomputed === null || recomputed.is_finished) {
    return [];
  }
  const { looked, of } = recomputed;
  return [`histories are being decided again, ${looked} of ${of ?? 'all'} assets looked at`];
}

function sayLack(lack: Lack): string {
  return `position lacks ${LACK_WORDS[lack]}; until that is set in the console under Plans, strength decides`;
}

interface TryOptions extends DecidingOptions {
  org: number;
  location?: string;
  since?: Micros;
  until?: Micros;
  asset?: string;
}

const EXAMPLE = `
Output begins like this:

  HALL by strength, certainty 1, from 2026-05-01T06:00:00.000Z to 2026-05-01T18:00:00.000Z:
  412 moves now, 61 then; back within 30 s: 310 now, 2 then. Nothing was changed.

  from    to      now  kept  redated  removed  added  then
  ------  ------  ---  ----  -------  -------  -----  ----
  DOCK-1  DOCK-2   23     4        1       18      0     5
  DOCK-2  DOCK-1   23     4        0       19      0     4`;

function addLocateTry(program: Command): void {
  withDecidingOptions(
    addCommand(program, 'locate', 'try')
      .description(
        'Try a setting on the recorded scans: how many moves there were, how many there would have been, and which. ' +
          'Nothing is stored. With --asset also how long antennas alone were right, if a handheld scanned it at its true locations.',
      )
      .requiredOption('--org <id>', 'the organization', id)
      .option(
        '--location <key>',
        'only of this location and all below it, by its external key; moves elsewhere count only if it changes them',
      ),
  )
    .addOption(
      new Option('--inherit', "as if the location's own setting ended").conflicts([
        'by',
        'certainty',
        'tagDbm',
        'tagKinds',
      ]),
    )
    .option('--since <time>', 'as if set from then on, RFC 3339; default: a day before --until', time)
    .option('--until <time>', 'moves up to this time, RFC 3339; default: to the last recorded scan', time)
    .option('--asset <key>', 'only of this asset, by its external key')
    .addHelpText(
      'after',
      `\nExamples:\n  ${TAGTRAIL} locate try --org 1 --location HALL --since 2026-05-01T06:00:00Z` +
        `\n  ${TAGTRAIL} locate try --org 1 --location HALL --by strength --certainty 2 --asset CART-7` +
        `\n${EXAMPLE}`,
    )
    .prints(async (options: TryOptions) => {
      const deciding = decidingOf(options, 'strength');
      return withConnections(async ({ pool }) => {
        const client = await pool.connect();
        try {
          return await tryOn(client, options, deciding);
        } finally {
          client.release();
        }
      });
    });
}

/** Moves are listed with --json. */
const BOUNDS = { scans: null, assets: Number.POSITIVE_INFINITY, moves: 10_000, pairs: 50, worst: 20 };

async function tryOn(client: Client, options: TryOptions, wanted: Deciding): Promise<CommandResult> {
  const { org: orgId, location = null, asset = null } = options;
  await requireLiveOrganization(client, orgId);
  const locationId = location === null ? null : await requireLiveByKey(client, 'location', orgId, location);
  const assetId = asset === null ? null : await requireLiveByKey(client, 'asset', orgId, asset);
  const deciding = requireDeciding(wanted, { isOfLocation: locationId !== null });
  const to =
    options.until ?? (await recordedPeriod(client, orgId))?.to ?? Date.now() * MICROS_PER_MILLISECOND;
  const period = { from: options.since ?? to - MICROS_PER_DAY, to };
  if (period.from > period.to) {
    throw new AppError(
      'invalid_input',
      `--since must be at or before ${options.until === undefined ? 'the last recorded scan' : '--until'}, ${shownTime(to)}`,
    );
  }
  const trial = { orgId, locationId, deciding, period, assetId };
  const progress = showProgress();
  const summary = await runTrial(client, trial, BOUNDS, {
    isTimeUp: () => false,
    onProgress: ({ assets, of }) => progress.show(`Tried ${assets} of ${of} assets`),
  }).finally(() => progress.end());
  const { walk } = summary;
  const keys = await locationKeys(
    client,
    orgId,
    [...summary.pairs, ...summary.moves]
      .flatMap(({ fromLocationId, toLocationId }) => [fromLocationId, toLocationId])
      .concat(walk?.map(({ locationId: walked }) => walked) ?? []),
  );
  const shownPeriod = { from: shownTime(period.from), to: shownTime(period.to) };
  const json = {
    ...{ org_id: orgId, location_external_key: location, ...shown(deciding), ...shownPeriod },
    ...shownTrial(summary, (key) => keys.get(key) ?? String(key)),
  };
  const where = location ?? `Organization ${orgId}`;
  return { json, text: trialLines(`${where} ${described(deciding)}`, json).join('\n') };
}

function shownTrial(
  { totals, returns, pairs, others, moves, movesLeftOut, worst, walk }: TrialSummary,
  keyOf: (locationId: number) => string,
) {
  return {
    ...withTotals(totals),
    ...{ returns: returns.present, returns_then: returns.proposed },
    pairs: pairs.map(({ fromLocationId, toLocationId, ...counts }) => ({
      from_location_external_key: keyOf(fromLocationId),
      to_location_external_key: keyOf(toLocationId),
      ...withTotals(counts),
    })),
    other_pairs: withTotals(others),
    assets: worst.map(({ externalKey, counts: { present, proposed } }) => ({
      asset_external_key: externalKey,
      ...{ present, proposed },
    })),
    moves: moves.map(({ change, externalKey, observedAt, fromLocationId, toLocationId }) => ({
      change,
      asset_external_key: externalKey,
      observed_at: shownTime(observedAt),
      from_location_external_key: keyOf(fromLocationId),
      to_location_external_key: keyOf(toLocationId),
    })),
    moves_left_out: movesLeftOut,
    walk:
      walk?.map(({ locationId, time: micros, right }) => ({
        location_external_key: keyOf(locationId),
        seconds: Math.round(micros / MICROS_PER_SECOND),
        right_percent: percent(right.present, micros),
        right_percent_then: percent(right.proposed, micros),
      })) ?? null,
  };
}

function percent(part: Micros, whole: Micros): number {
  return Math.round((1_000 * part) / whole) / 10;
}

/** `present` moves exist, `proposed` would exist. */
function withTotals(counts: PairCounts) {
  const { kept, redated, removed, added } = counts;
  return { present: kept + redated + removed, proposed: kept + redated + added, ...counts };
}

const COLUMNS = ['present', 'kept', 'redated', 'removed', 'added', 'proposed'] as const;
const HEADINGS = ['now', 'kept', 'redated', 'removed', 'added', 'then'];

type Shown = ReturnType<typeof shownTrial> & { from: string; to: string };

function trialLines(what: string, { from, to, ...tried }: Shown): string[] {
  const { pairs, other_pairs: others, assets, walk } = tried;
  const counts = (each: ReturnType<typeof withTotals>) =>
    padded(
      COLUMNS.map((column) => each[column]),
      HEADINGS,
    );
  const rest = others.present + others.proposed > 0 ? [['others', '', ...counts(others)]] : [];
  return [
    `${what}, from ${from} to ${to}:`,
    `${tried.present} moves now, ${tried.proposed} then; back within 30 s: ${tried.returns} now, ${tried.returns_then} then. Nothing was changed.`,
    ...table(
      ['from', 'to', ...HEADINGS],
      [
        ...pairs.map((pair) => [
          pair.from_location_external_key,
          pair.to_location_external_key,
          ...counts(pair),
        ]),
        ...rest,
      ],
    ),
    ...table(
      ['asset', 'now', 'then'],
      assets.map((each) => [
        each.asset_external_key,
        ...padded([each.present, each.proposed], ['now', 'then']),
      ]),
    ),
    ...table(
      ['walked', 'seconds', 'right % now', 'right % then'],
      (walk ?? []).map((each) => [
        each.location_external_key,
        ...padded(
          [each.seconds, each.right_percent, each.right_percent_then],
          ['seconds', 'right % now', 'right % then'],
        ),
      ]),
    ),
    ...(walk === null
      ? ['', `It has more than ${MOST_WALKED} scans: for a comparison with a walk choose a shorter time`]
      : []),
  ];
}

function padded(numbers: readonly number[], headings: readonly string[]): string[] {
  return numbers.map((number, index) => String(number).padStart(headings[index]?.length ?? 0));
}

function table(headings: readonly string[], rows: readonly string[][]): string[] {
  return rows.length === 0 ? [] : ['', ...listTable([...headings], rows)];
}

interface DecidingOptions {
  by?: Deciding['procedure'];
  certainty?: number;
  tagDbm?: number;
  tagKinds?: string;
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
      `for strength and position: 0.5 follows faster and errs more, 2 waits for more; default: ${CERTAINTY.usual}`,
      asNumber,
    )
    .option(
      '--tag-dbm <dBm>',
      `for position: strength of the tags at 1 m; default: ${TAG_DBM.usual}`,
      asNumber,
    )
    .option(
      '--tag-kinds <beginning=dBm,...>',
      'for position: the same for kinds of tags, by how their values begin, such as AC233F=-65,DD33=-70.5',
    );
}

/**
 * @param usual the procedure by default; null if it must be named.
 * @throws SettingFault `invalid_input`.
 */
function decidingOf(options: DecidingOptions, usual: Deciding['procedure'] | null): Deciding {
  const { by = usual, certainty = null, tagDbm = null, tagKinds = null, inherit } = options;
  if (inherit === true) {
    return { procedure: 'inherit', certainty: null, tagDbm: null };
  }
  if (by === null) {
    throw new SettingFault(
      'procedure',
      'Give --by every, --by strength or --by position; or, for a location, --inherit',
    );
  }
  return { procedure: by, certainty, tagDbm, tagKinds };
}

function shown({ procedure, certainty, tagDbm, tagKinds = null }: Deciding) {
  return { procedure, certainty, tag_dbm: tagDbm, tag_kinds: tagKinds };
}

function described({ procedure, certainty, tagDbm, tagKinds = null }: Deciding): string {
  const tags =
    (tagDbm === null ? '' : `, tags ${tagDbm} dBm at 1 m`) +
    (tagKinds === null ? '' : `, of kinds ${tagKinds}`);
  return procedure === 'every'
    ? 'by every scan'
    : procedure === 'inherit'
      ? 'no setting of its own'
      : `by ${procedure}, certainty ${certainty}${tags}`;
}
