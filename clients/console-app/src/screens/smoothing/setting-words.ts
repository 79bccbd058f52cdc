import type { SmoothingValues } from '../../api/types.ts';
import { texts } from '../../texts/texts.ts';

/** A setting as a sentence. @param place what it is called; null for all without a setting of their own. */
export function settingWords(
  { mode, window_seconds: window, min_seconds: minimum, margin_db: margin }: SmoothingValues,
  place: string | null,
): string {
  const t = texts.value.smoothing;
  if (mode !== 'on') {
    return mode === 'off' ? t.everyRead : t.asElsewhere;
  }
  const proofs = [
    ...(minimum === null ? [] : [t.longEnough(minimum)]),
    ...(margin === null ? [] : [t.stronger(margin)]),
  ];
  return proofs.length === 0 || window === null ? t.unfinished : t.movesOnly(place, proofs, window);
}
