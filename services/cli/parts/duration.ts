const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/** Seconds of a duration as 60s, 5m or 1h; NaN if it is none. */
export function secondsIn(text: string): number {
  const [, number, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  return number === undefined ? Number.NaN : Number(number) * SECONDS[unit as keyof typeof SECONDS];
}
