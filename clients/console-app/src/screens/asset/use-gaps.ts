import { useEffect, useState } from 'preact/hooks';
import { useRead } from '../../api/use-read.ts';
import type { Gaps } from '../../parts/timeline/gaps.ts';
import type { Range } from '../../parts/timeline/range.ts';

interface Coverage {
  from: string;
  gaps: readonly { location_id: number; from: string; to: string }[];
  is_cut: boolean;
}

export interface KnownGaps {
  byPlace: Gaps;
  milliseconds: number;
  /** From when on they are known, if that is after the range begins. */
  since: string | null;
  /** Only the longest are known. */
  isCut: boolean;
}

/** Milliseconds for which a range stays before it is asked about: not at each step of a drag. */
const PAUSE_MS = 300;

/** Gaps of coverage while the asset was there; null until they are known, `unknown` where they could not be found out. */
export function useGaps(id: string, range: Range | null): KnownGaps | 'unknown' | null {
  const wanted = range === null ? null : `from=${minuteOf(range.from)}&to=${minuteOf(range.to)}`;
  const [asked, setAsked] = useState(wanted);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(wanted), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  const { answer, problem } = useRead<{ data: Coverage }>(asked === null ? null : `/assets/${id}/coverage`, {
    ...Object.fromEntries(new URLSearchParams(asked ?? '')),
  });
  if (problem !== null) {
    return 'unknown';
  }
  if (answer === undefined || range === null) {
    return null;
  }
  const { from, gaps, is_cut: isCut } = answer.data;
  const byPlace = new Map<number, Range[]>();
  for (const gap of gaps) {
    const own = byPlace.get(gap.location_id) ?? [];
    byPlace.set(gap.location_id, own);
    own.push({ from: Date.parse(gap.from), to: Date.parse(gap.to) });
  }
  return {
    byPlace,
    milliseconds: [...byPlace.values()].flat().reduce((sum, gap) => sum + gap.to - gap.from, 0),
    since: Date.parse(from) > range.from + 60_000 ? from : null,
    isCut,
  };
}

/** A range that ends now is not asked about anew at every look. */
function minuteOf(at: number): string {
  return new Date(Math.floor(at / 60_000) * 60_000).toISOString();
}
