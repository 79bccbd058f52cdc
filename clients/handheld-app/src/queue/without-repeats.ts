import type { StoredScan } from '../storage/scan.ts';

/**
 * Keeps the last of scans with the same tag and the same answer: an RFID sled reads a tag a hundred times.
 *
 * @param scans in order of scanning.
 */
export function withoutRepeats(scans: readonly StoredScan[]): StoredScan[] {
  const last = new Map(scans.map((scan) => [answerTo(scan), scan]));
  return scans.filter((scan) => last.get(answerTo(scan)) === scan);
}

function answerTo({ tag_type, value, state, result }: StoredScan): string {
  return JSON.stringify([
    tag_type,
    value,
    state,
    result?.status,
    result?.asset?.id,
    result?.location?.id,
    result?.from?.id,
  ]);
}
