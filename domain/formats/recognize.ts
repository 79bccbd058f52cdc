import { dryRun } from './dry-run.ts';
import { readSource } from './read-source.ts';

export interface Recognizing {
  formats: readonly (readonly [name: string, source: string])[];
  messages: readonly { topic: string; payload: Uint8Array }[];
}

/** The result of a format for the messages together. */
export interface Recognized {
  format: string;
  reads: number;
  ignored: number;
  rejected: number;
  /** Messages that it rejects as a whole. */
  messages_rejected: number;
  /** Antennas that its reads name: ports, ascending, then names. */
  antennas: readonly (number | string)[];
  /** The first read, as an example. */
  example: { tag_type: string; value: string; antenna: number | string; rssi: number | null } | null;
  /** Why the first one is rejected, if one is. */
  reason: string | null;
}

/**
 * Tries each format on the messages, the likeliest first: the one that reads most, and rejects least of the rest. For a
 * worker thread: with formats of one's own and messages of 16 KiB it may take a tenth of a second.
 */
export function recognize({ formats, messages }: Recognizing): Recognized[] {
  return formats
    .flatMap(([name, source]) => tried(name, source, messages) ?? [])
    .sort(
      (one, other) =>
        Number(other.reads > 0) - Number(one.reads > 0) ||
        one.messages_rejected - other.messages_rejected ||
        one.rejected - other.rejected ||
        other.reads - one.reads ||
        fields(other) - fields(one) ||
        one.format.localeCompare(other.format),
    );
}

/** Null for a stored format that this version cannot use. */
function tried(name: string, source: string, messages: Recognizing['messages']): Recognized | null {
  const format = readSource(source);
  if (Array.isArray(format)) {
    return null;
  }
  const sum: Recognized = {
    ...{ format: name, reads: 0, ignored: 0, rejected: 0, messages_rejected: 0 },
    ...{ antennas: [], example: null, reason: null },
  };
  const ports = new Set<number | string>();
  for (const { topic, payload } of messages) {
    const { outcome, scans, ignored, rejected } = dryRun(format, { topic, payload: Buffer.from(payload) });
    for (const { antenna } of scans) {
      ports.add(antenna);
    }
    sum.reads += scans.length;
    sum.ignored += ignored.length;
    sum.rejected += outcome === 'rejected' ? 0 : rejected.length;
    sum.messages_rejected += Number(outcome === 'rejected');
    sum.reason ??= rejected[0]?.reason ?? null;
    const [first] = scans;
    if (sum.example === null && first !== undefined) {
      const { tag_type, value, antenna, rssi } = first;
      sum.example = { tag_type, value, antenna, rssi };
    }
  }
  return { ...sum, antennas: [...ports].sort(byPort) };
}

function byPort(one: number | string, other: number | string): number {
  const [port, otherPort] = [one, other].map((each) =>
    typeof each === 'number' ? each : Number.POSITIVE_INFINITY,
  );
  return (port ?? 0) - (otherPort ?? 0) || (String(one) < String(other) ? -1 : 1);
}

/** Among formats with equally many reads, the one that also finds strengths is preferred. */
function fields({ example }: Recognized): number {
  return Number(example?.rssi !== null && example !== null);
}
