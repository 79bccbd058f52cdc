import { durationText } from '../../parts/duration.ts';
import { language } from '../../texts/texts.ts';

export function secondsText(seconds: number | null): string {
  return seconds === null ? '–' : durationText(seconds * 1_000);
}

/** `2026-05-04` as people write it. */
export function dayText(day: string): string {
  return new Date(`${day}T12:00:00`).toLocaleDateString(language.value, {
    ...{ weekday: 'short', day: 'numeric', month: 'short' },
  });
}
