import { serverNow } from '../../api/server-clock.ts';
import type { Reader } from '../../api/types.ts';
import type { Texts } from '../../texts/texts.ts';

const MINUTE_MS = 60_000;

/**
 * Messages of the last minute, or the mean of a longer uninterrupted stretch. A second's stretch is no rate: twelve
 * messages at once are twelve a minute.
 */
export function perMinute({ stretch }: Reader, t: Texts['readers'], now = serverNow()): string {
  if (stretch === null) {
    return '–';
  }
  const [since, until] = [Date.parse(stretch.since), Date.parse(stretch.until)];
  const isOver = now - until > MINUTE_MS;
  return t.perMinute(isOver ? 0 : stretch.messages / Math.max(1, (until - since) / MINUTE_MS));
}
