import type { PairCounts } from '../../../domain/tracking/smoothing/tally-pairs.ts';
import type { CommandResult } from '../command-line/command-line.ts';
import { listTable } from '../command-line/list-table.ts';

export interface ShownMove {
  change: 'disappears' | 'appears';
  asset_external_key: string;
  observed_at: string;
  from_location_external_key: string;
  to_location_external_key: string;
}

/** `present` moves exist, `proposed` would exist. */
type Counts = PairCounts & { present: number; proposed: number };

export interface ShownPair extends Counts {
  from_location_external_key: string;
  to_location_external_key: string;
}

export const MOST_MOVES = 10_000;

const MOST_SHOWN_PAIRS = 50;

export function shownTrial(
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
    `${disappearing} would disappear, ${appearing} would appear (${redated} of them dated anew). Nothing was changed.`,
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

export function withTotals(counts: PairCounts): Counts {
  const { kept, redated, removed, added } = counts;
  return { present: kept + redated + removed, proposed: kept + redated + added, ...counts };
}

const COLUMNS = ['present', 'kept', 'redated', 'removed', 'added', 'proposed'] as const;
const HEADINGS = ['now', 'kept', 'dated anew', 'removed', 'added', 'then'];

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
