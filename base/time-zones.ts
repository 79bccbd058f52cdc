const QUARTER = 15 * 60_000;
const MOST_REMEMBERED = 1_000;

/** The offset of a time zone from UTC at an instant; both in milliseconds. */
export type OffsetAt = (instant: number) => number;

/** Null for anything but an IANA name or an offset from UTC. */
export function timeZoneNamed(name: string): string | null {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

/** @throws RangeError for anything but a time zone. */
export function offsetsOf(timeZone: string): OffsetAt {
  const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  return remembering((instant) => offsetFrom(format, instant));
}

function offsetFrom(format: Intl.DateTimeFormat, instant: number): number {
  const name = format.formatToParts(instant).find((part) => part.type === 'timeZoneName')?.value ?? '';
  // `GMT+02:00`, or `GMT` alone.
  const [, sign, hours, minutes] = /([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
  return (sign === '-' ? -60_000 : 60_000) * (Number(hours ?? 0) * 60 + Number(minutes ?? 0));
}

/** Caches offsets: they change at quarters of an hour only, and asking Intl costs some microseconds. */
function remembering(offsetAt: OffsetAt): OffsetAt {
  const known = new Map<number, number>();
  return (instant) => {
    const quarter = Math.floor(instant / QUARTER);
    let offset = known.get(quarter);
    if (offset === undefined) {
      offset = offsetAt(quarter * QUARTER);
      if (known.size >= MOST_REMEMBERED) {
        known.clear();
      }
      known.set(quarter, offset);
    }
    return offset;
  };
}
