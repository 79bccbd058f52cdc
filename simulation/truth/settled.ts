import type { AssetRecord, HistoryRow } from './asset-record.ts';
import type { AssetDocument, RowDocument } from './document.ts';

/**
 * The exact truth of an asset. Where it is known within bounds, the answer counts as true if it is within them; if not,
 * the lower bound does, and so they differ.
 */
export function settled(truth: AssetDocument, answer: AssetRecord | undefined): AssetRecord {
  const rows = [...(answer?.history ?? [])];
  return {
    asset: truth.asset,
    current: truth.current === null ? null : settledLocation(truth.current, answer),
    history: truth.history.map((row) => settledRow(row, rows)),
  };
}

function settledLocation(
  {
    location,
    last_seen: earliest,
    last_seen_latest: latest = earliest,
  }: NonNullable<AssetDocument['current']>,
  answer: AssetRecord | undefined,
) {
  const said = answer?.current?.lastSeen;
  return { location, lastSeen: said !== undefined && said >= earliest && said <= latest ? said : earliest };
}

/** @param rows unused answered rows; a match is removed. */
function settledRow(row: RowDocument, rows: HistoryRow[]): HistoryRow {
  const { at, at_latest: latest = at, location } = row;
  const index = rows.findIndex((said) => said.location === location && said.at >= at && said.at <= latest);
  const [said] = index < 0 ? [] : rows.splice(index, 1);
  return { at: said?.at ?? at, location, durationSeconds: settledDuration(row, said) };
}

function settledDuration(row: RowDocument, said: HistoryRow | undefined): number | null {
  const { duration_seconds: least, duration_seconds_most: most } = row;
  const duration = said?.durationSeconds ?? null;
  return least !== null && duration !== null && duration >= least && duration <= (most ?? least)
    ? duration
    : least;
}
