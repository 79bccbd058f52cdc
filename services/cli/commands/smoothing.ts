import { type Command, InvalidArgumentError, Option } from 'commander';
import { AppError } from '../../../base/errors.ts';
import { MICROS_PER_MILLISECOND, MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import type { Client } from '../../../db/timescale/connections/client.ts';
import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { setSmoothing } from '../../../domain/administration/smoothing/set-smoothing.ts';
import { requireLiveByKey } from '../../../domain/master-data/live-by-key.ts';
import { type LatestSmoothing, listSmoothing } from '../../../domain/tracking/smoothing/list-smoothing.ts';
import type { Setting } from '../../../domain/tracking/smoothing/require-smoothing.ts';
import { type DatedSmoothing, MAX_WINDOW } from '../../../domain/tracking/smoothing/settings.ts';
import { type Pair, type PairCounts, PairTally } from '../../../domain/tracking/smoothing/tally-pairs.ts';
import {
  locationKeys,
  recordedPeriod,
  type TriedAsset,
  tryOnAssets,
} from '../../../domain/tracking/smoothing/try-on-assets.ts';
import type { TriedMove } from '../../../domain/tracking/smoothing/try-smoothing.ts';
import {
  addCommand,
  type CommandResult,
  id,
  printResult,
  wholeNumber,
} from '../command-line/command-line.ts';
import { shownTime, time } from '../command-line/instants.ts';
import { listTable } from '../command-line/list-table.ts';
import { withConnections } from '../connections/database.ts';

export function addSmoothing(program: Command): void {
  addSmoothingSet(program);
  addSmoothingShow(program);
  addSmoothingTry(program);
}

interface SetOptions extends SmoothingOptions {
  org: number;
  location?: string;
  json?: boolean;
}

function addSmoothingSet(program: Command): void {
  withSmoothingOptions(
    addCommand(program, 'smoothing', 'set')
      .description(
        'Set when a move counts, to keep assets from bouncing between antennas with overlapping ranges. It holds for scans ' +
          'observed from now on; no history changes.',
      )
      .requiredOption('--org <id>', 'the organization', id)
      .option('--location <key>', 'only for moves to this location, by its external key'),
  )
    .addHelpText(
      'after',
      `\nExamples:\n  ${TAGTRAIL} smoothing set --org 1 --window 30 --min-seconds 5 --margin-db 8` +
        `\n  ${TAGTRAIL} smoothing set --org 1 --location DOCK-2 --off`,
    )
    .action(async (options: SetOptions) => {
      const { org: orgId, location = null } = options;
      const smoothing = smoothingOf(options);
      const validFrom = await withConnections(({ db, actor }) =>
        setSmoothing(db, actor, { orgId, locationExternalKey: location, smoothing }),
      );
      const setting = shown(smoothing);
      printResult(
        {
          json: {
            org_id: orgId,
            location_external_key: location,
            ...setting,
            valid_from: shownTime(validFrom),
          },
          text: `${location ?? `Organization ${orgId}`}: ${described(setting)}; for scans observed from ${shownTime(validFrom)}`,
        },
        options,
      );
    });
}

function addSmoothingShow(program: Command): void {
  addCommand(program, 'smoothing', 'show')
    .description("Show when moves count: the organization's setting, and those of locations with their own.")
    .requiredOption('--org <id>', 'the organization', id)
    .addHelpText('after', `\nExample:\n  ${TAGTRAIL} smoothing show --org 1`)
    .action(async (options: { org: number; json?: boolean }) => {
      const latest = await withConnections(async ({ db }) => {
        await requireLiveOrganization(db, options.org);
        return listSmoothing(db, options.org);
      });
      const rows = latest.map(toRow);
      printResult(
        { json: rows, text: rows.length === 0 ? 'off, every scan counts' : asTable(rows) },
        options,
      );
    });
}

function toRow(latest: LatestSmoothing) {
  return {
    location_external_key: latest.location_external_key,
    mode: latest.mode,
    window_seconds: latest.window_seconds,
    min_seconds: latest.min_seconds,
    margin_db: latest.margin_db,
    valid_from: shownTime(latest.valid_from),
  };
}

function asTable(rows: readonly ReturnType<typeof toRow>[]): string {
  return listTable(
    ['location', 'since', 'setting'],
    rows.map((row) => [row.location_external_key ?? 'organization', row.valid_from, described(row)]),
  ).join('\n');
}

interface TryOptions extends SmoothingOptions {
  org: number;
  location?: string;
  from?: Micros;
  to?: Micros;
  asset?: string;
  json?: boolean;
}

const EXAMPLE = `
What it prints begins like this:

  From 2026-05-01T06:00:00.000Z to 2026-05-01T18:00:00.000Z: 46 moves now, 9 then;
  38 would disappear, 1 would appear (1 of them redated). Nothing was changed.

  from    to      now  kept  redated  removed  added  then
  ------  ------  ---  ----  -------  -------  -----  ----
  DOCK-1  DOCK-2   23     4        1       18      0     5
  DOCK-2  DOCK-1   23     4        0       19      0     4`;

function addSmoothingTry(program: Command): void {
  withSmoothingOptions(
    addCommand(program, 'smoothing', 'try')
      .description(
        'Try a setting on the recorded scans, as if it had always held: first how many moves from one location to ' +
          'another it would keep, redate, remove and add, then which. Nothing is stored.',
      )
      .requiredOption('--org <id>', 'the organization', id)
      .option('--location <key>', "as this location's own setting, by its external key"),
  )
    .option('--from <time>', 'moves from this time on, RFC 3339; default: from the first recorded scan', time)
    .option('--to <time>', 'moves up to this time, RFC 3339; default: to the last recorded scan', time)
    .option('--asset <key>', 'only of this asset, by its external key')
    .addHelpText(
      'after',
      `\nExamples:\n  ${TAGTRAIL} smoothing try --org 1 --window 30 --min-seconds 5` +
        `\n  ${TAGTRAIL} smoothing try --org 1 --location DOCK-2 --window 60 --margin-db 8 --from 2026-05-01T06:00:00Z` +
        `\n${EXAMPLE}`,
    )
    .action(async (options: TryOptions) => {
      const smoothing = smoothingOf(options);
      await withConnections(async ({ pool }) => {
        const client = await pool.connect();
        try {
          await tryOn(client, options, smoothing);
        } finally {
          client.release();
        }
      });
    });
}

/** Holds all findings, at most {@link MOST_MOVES}, because the summary precedes the list. */
async function tryOn(client: Client, options: TryOptions, smoothing: Setting['smoothing']): Promise<void> {
  const { org: orgId, location = null, asset = null } = options;
  await requireLiveOrganization(client, orgId);
  const locationId = location === null ? null : await requireLiveByKey(client, 'location', orgId, location);
  const assetId = asset === null ? null : await requireLiveByKey(client, 'asset', orgId, asset);
  const recorded = await recordedPeriod(client, orgId);
  const now = Date.now() * MICROS_PER_MILLISECOND;
  const period = { from: options.from ?? recorded?.from ?? now, to: options.to ?? recorded?.to ?? now };
  const trial = { orgId, locationId, smoothing, period, assetId };
  const tally = new PairTally();
  const listed: ListedMove[] = [];
  let leftOut = 0;
  for await (const tried of tryOnAssets(client, trial)) {
    tally.add(tried);
    for (const move of changesOf(tried)) {
      if (listed.length < MOST_MOVES) {
        listed.push(move);
      } else {
        leftOut += 1;
      }
    }
  }
  const pairs = tally.pairs();
  const keys = await locationKeys(
    client,
    orgId,
    [...pairs, ...listed].flatMap(({ fromLocationId, toLocationId }) => [fromLocationId, toLocationId]),
  );
  const keyOf = (locationId: number) => keys.get(locationId) ?? String(locationId);
  printResult(
    shownTrial(
      { orgId, from: shownTime(period.from), to: shownTime(period.to) },
      { pairs: pairs.map((pair) => shownPair(pair, keyOf)), others: tally.others() },
      { moves: listed.map((move) => shownMove(move, keyOf)), leftOut },
    ),
    options,
  );
}

type ListedMove = TriedMove & { change: ShownMove['change']; asset: string };

function changesOf({ disappearing, appearing, externalKey: asset }: TriedAsset): ListedMove[] {
  return [
    ...disappearing.map((move) => ({ ...move, asset, change: 'disappears' as const })),
    ...appearing.map((move) => ({ ...move, asset, change: 'appears' as const })),
  ].toSorted((a, b) => a.observedAt - b.observedAt);
}

function shownMove(move: ListedMove, keyOf: (locationId: number) => string): ShownMove {
  return {
    change: move.change,
    asset_external_key: move.asset,
    observed_at: shownTime(move.observedAt),
    from_location_external_key: keyOf(move.fromLocationId),
    to_location_external_key: keyOf(move.toLocationId),
  };
}

function shownPair(pair: Pair, keyOf: (locationId: number) => string): ShownPair {
  const { fromLocationId, toLocationId, ...counts } = pair;
  return {
    from_location_external_key: keyOf(fromLocationId),
    to_location_external_key: keyOf(toLocationId),
    ...withTotals(counts),
  };
}

interface SmoothingOptions {
  window?: number;
  minSeconds?: number;
  marginDb?: number;
  off?: true;
  inherit?: true;
}

const MAX_SECONDS = MAX_WINDOW / MICROS_PER_SECOND;
const NUMBERS = ['window', 'minSeconds', 'marginDb'];

function withSmoothingOptions(command: Command): Command {
  return command
    .option(
      '--window <seconds>',
      `how far around a scan to look, 1 to ${MAX_SECONDS}`,
      wholeNumber(1, MAX_SECONDS),
    )
    .option(
      '--min-seconds <seconds>',
      'a move counts if the asset was seen there, and nowhere else, for this long',
      wholeNumber(1, MAX_SECONDS),
    )
    .option('--margin-db <dB>', 'a move counts if its reads there are stronger by this much', asDecibels)
    .addOption(new Option('--off', 'every scan counts').conflicts([...NUMBERS, 'inherit']))
    .addOption(new Option('--inherit', "the location's own setting ends").conflicts(NUMBERS));
}

/** @throws AppError `invalid_input` if the options do not form a setting. */
function smoothingOf(options: SmoothingOptions): DatedSmoothing['smoothing'] {
  const { window, minSeconds, marginDb, off, inherit } = options;
  if (off === true || inherit === true) {
    return off === true ? 'off' : 'inherit';
  }
  if (window === undefined) {
    throw new AppError(
      'invalid_input',
      'Give --window with --min-seconds, --margin-db or both; or --off; or, for a location, --inherit',
    );
  }
  return {
    window: window * MICROS_PER_SECOND,
    minimum: minSeconds === undefined ? null : minSeconds * MICROS_PER_SECOND,
    margin: marginDb ?? null,
  };
}

function asDecibels(text: string): number {
  const decibels = text.trim() === '' ? Number.NaN : Number(text);
  if (!(decibels > 0 && decibels <= 100)) {
    throw new InvalidArgumentError('It must be a number of dB above 0, at most 100.');
  }
  return decibels;
}

interface ShownSmoothing {
  mode: 'on' | 'off' | 'inherit';
  window_seconds: number | null;
  min_seconds: number | null;
  margin_db: number | null;
}

function shown(smoothing: DatedSmoothing['smoothing']): ShownSmoothing {
  if (typeof smoothing === 'string') {
    return { mode: smoothing, window_seconds: null, min_seconds: null, margin_db: null };
  }
  const { window, minimum, margin } = smoothing;
  return {
    mode: 'on',
    window_seconds: window / MICROS_PER_SECOND,
    min_seconds: minimum === null ? null : minimum / MICROS_PER_SECOND,
    margin_db: margin,
  };
}

function described({ mode, window_seconds, min_seconds, margin_db }: ShownSmoothing): string {
  if (mode !== 'on') {
    return mode === 'off' ? 'off, every scan counts' : "none of its own, the organization's holds";
  }
  const proofs = [
    ...(min_seconds === null ? [] : [`${min_seconds} s there and nowhere else`]),
    ...(margin_db === null ? [] : [`${margin_db} dB stronger`]),
  ];
  return `${proofs.join(', or ')}, within ${window_seconds} s`;
}

interface ShownMove {
  change: 'disappears' | 'appears';
  asset_external_key: string;
  observed_at: string;
  from_location_external_key: string;
  to_location_external_key: string;
}

/** `present` moves exist, `proposed` would exist. */
type Counts = PairCounts & { present: number; proposed: number };

interface ShownPair extends Counts {
  from_location_external_key: string;
  to_location_external_key: string;
}

const MOST_MOVES = 10_000;

const MOST_SHOWN_PAIRS = 50;

function shownTrial(
  { orgId, from, to }: { orgId: number; from: string; to: string },
  { pairs, others }: { pairs: readonly ShownPair[]; others: PairCounts },
  { moves, leftOut }: { moves: readonly ShownMove[]; leftOut: number },
): CommandResult {
  const totals = sumOf([...pairs, withTotals(others)]);
  const { present, proposed, redated } = totals;
  const disappearing = totals.removed + redated;
  const appearing = totals.added + redated;
  const lines = [
    `From ${from} to ${to}: ${present} moves now, ${proposed} then;`,
    `${disappearing} would disappear, ${appearing} would appear (${redated} of them redated). Nothing was changed.`,
    ...(pairs.length === 0 ? [] : ['', ...pairLines(pairs, others)]),
    ...(moves.length === 0 ? [] : ['', ...moveLines(moves)]),
    ...(leftOut === 0 ? [] : ['', `And ${leftOut} more: narrow it down with --asset, --from and --to`]),
  ];
  return {
    json: {
      org_id: orgId,
      from,
      to,
      present,
      proposed,
      disappearing,
      appearing,
      redated,
      pairs,
      other_pairs: withTotals(others),
      moves,
      moves_left_out: leftOut,
    },
    text: lines.join('\n'),
  };
}

function withTotals(counts: PairCounts): Counts {
  const { kept, redated, removed, added } = counts;
  return { present: kept + redated + removed, proposed: kept + redated + added, ...counts };
}

const COLUMNS = ['present', 'kept', 'redated', 'removed', 'added', 'proposed'] as const;
const HEADINGS = ['now', 'kept', 'redated', 'removed', 'added', 'then'];

function pairLines(pairs: readonly ShownPair[], others: PairCounts): string[] {
  const rest = sumOf([...pairs.slice(MOST_SHOWN_PAIRS), withTotals(others)]);
  const rows = pairs
    .slice(0, MOST_SHOWN_PAIRS)
    .map((pair) => [pair.from_location_external_key, pair.to_location_external_key, ...numbers(pair)]);
  if (rest.present + rest.proposed > 0) {
    rows.push(['others', '', ...numbers(rest)]);
  }
  return listTable(['from', 'to', ...HEADINGS], rows);
}

function numbers(counts: Counts): string[] {
  return COLUMNS.map((column, index) => String(counts[column]).padStart(HEADINGS[index]?.length ?? 0));
}

const WORDS = { disappears: 'would disappear', appears: 'would appear' };

function moveLines(moves: readonly ShownMove[]): string[] {
  return listTable(
    ['move', 'observed at', 'asset', 'from', 'to'],
    moves.map((move) => [
      WORDS[move.change],
      move.observed_at,
      move.asset_external_key,
      move.from_location_external_key,
      move.to_location_external_key,
    ]),
  );
}

function sumOf(all: readonly Counts[]): Counts {
  const sum = (column: keyof Counts) => all.reduce((total, counts) => total + counts[column], 0);
  return {
    present: sum('present'),
    proposed: sum('proposed'),
    kept: sum('kept'),
    redated: sum('redated'),
    removed: sum('removed'),
    added: sum('added'),
  };
}
