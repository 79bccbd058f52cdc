import { texts } from '../texts/texts.ts';

/** The two largest units of it: `3 d 4 h`, `12 min`, `8 s`. */
export function durationText(milliseconds: number): string {
  const t = texts.value.durations;
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  const units: [number, string][] = [
    [Math.floor(seconds / 86_400), t.days],
    [Math.floor(seconds / 3_600) % 24, t.hours],
    [Math.floor(seconds / 60) % 60, t.minutes],
    [seconds % 60, t.seconds],
  ];
  const first = units.findIndex(([count]) => count > 0);
  return first === -1
    ? `0 ${t.seconds}`
    : units
        .slice(first, first + 2)
        .filter(([count]) => count > 0)
        .map(([count, unit]) => `${count} ${unit}`)
        .join(' ');
}
