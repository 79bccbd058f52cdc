import { plainValue } from '../../../../base/scanned-text.ts';
import type { AssetRef } from '../gateway/answers.ts';
import type { ShownScan } from '../queue/queue.ts';
import { language } from '../texts/texts.ts';

/** The asset's or place's name if known, else the value. */
export function titleOf({ scan, known }: ShownScan): string {
  const { result, sets } = scan;
  const value = plainValue(scan.value);
  if (result?.status === 'location') {
    return result.location?.name ?? value;
  }
  return result?.asset?.name ?? sets?.name ?? known?.asset.name ?? value;
}

/** The asset that was scanned, if that is known. */
export function assetOf({ scan, known }: ShownScan): AssetRef | null {
  const { result, sets } = scan;
  return result === null ? (sets === null ? (known?.asset ?? null) : null) : result.asset;
}

/** Time of day with seconds: two scans are rarely a minute apart. */
export function timeOf(instant: string): string {
  return new Date(instant).toLocaleTimeString(language.value, {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hour12: false,
  });
}

/** Time of day, with the date unless it is today. */
export function momentOf(instant: string): string {
  const isToday = new Date(instant).toDateString() === new Date().toDateString();
  return isToday ? timeOf(instant) : `${dayOf(instant)}, ${timeOf(instant)}`;
}

export function dayOf(instant: string): string {
  return new Date(instant).toLocaleDateString(language.value, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
  });
}
