import type { Micros } from '../../../base/instant.ts';
import type { DecidingScan } from '../../../domain/tracking/history/deciding-scan.ts';
import type { Reason } from '../../../domain/tracking/smoothing/counting.ts';
import type { Explanation } from '../../../domain/tracking/why/explain.ts';
import type { Names } from '../../../domain/tracking/why/names.ts';
import type { Rival, TieBreak } from '../../../domain/tracking/why/rivals.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { shownTime } from '../command-line/instants.ts';
import { lateSeconds } from './why-json.ts';

/** As one would say it to somebody who looks for the asset. */
export function whyText(externalKey: string, explanation: Explanation, names: Names): string {
  const { stay, decidedBy, reason, rivals, saidBefore } = explanation;
  const keyOf = (id: number | null) =>
    id === null ? 'nowhere' : (names.locations.get(id) ?? `location ${id}`);
  const location = keyOf(stay.locationId);
  return [
    stay.to === null
      ? `${externalKey} is at ${location}, since ${shownTime(stay.from)}.`
      : `${externalKey} was at ${location} from ${shownTime(stay.from)} to ${shownTime(stay.to)}.`,
    '',
    decidedBy === null
      ? 'Which scan decided that is not known: it was recorded before that was kept.'
      : forTerminal(`Decided by ${sayScan(decidedBy, names)}${sayLate(decidedBy, stay.from)}.`),
    sayReason(reason, location),
    ...sayRivals(rivals, keyOf, names),
    ...(saidBefore.length === 0 ? [] : ['', 'Before that:']),
    ...saidBefore.map(({ locationId, until }) => `  until ${shownTime(until)} we said ${keyOf(locationId)}`),
  ].join('\n');
}

function sayScan({ source, tagType, tagValue, rssi }: DecidingScan, { readers, handhelds }: Names): string {
  const strength = rssi === null ? '' : ` at ${rssi} dBm`;
  return source.kind === 'reader'
    ? `reader ${readers.get(source.readerId) ?? source.readerId}, antenna ${source.antenna}, which read ${tagType} ${tagValue}${strength}`
    : `handheld ${handhelds.get(source.handheldId) ?? source.handheldId}, with which somebody scanned ${tagType} ${tagValue}${strength}`;
}

function sayLate(scan: DecidingScan, observedAt: Micros): string {
  const seconds = lateSeconds(scan, observedAt);
  if (seconds < 0) {
    return `; by the device's clock ${-seconds} s after we had received it`;
  }
  return seconds === 0
    ? '; received at once'
    : `; received ${seconds} s later, at ${shownTime(scan.receivedAt)}`;
}

function sayReason(reason: Reason | null, location: string): string {
  return reason === null
    ? 'Why it counted is not known any more: the scans around it were dropped.'
    : `It counts because ${REASONS[reason](location)}.`;
}

const REASONS: Record<Reason, (location: string) => string> = {
  person: () => 'a person made it',
  smoothing_off: (location) => `every scan counts at ${location}, which is not smoothed`,
  no_rival: (location) => `the asset was read nowhere but at ${location} for a while before`,
  long_enough: (location) => `the asset was read at ${location}, and nowhere else, for long enough`,
  stronger: (location) =>
    `the asset was read more strongly at ${location} than anywhere else, by the margin that is set`,
};

function sayRivals(rivals: readonly Rival[] | null, keyOf: (id: number) => string, names: Names): string[] {
  if (rivals === null) {
    return ['What else was read around that time is not kept any more.'];
  }
  if (rivals.length === 0) {
    return ['Nothing else was read just before.'];
  }
  return [
    '',
    'Read as well:',
    ...rivals.map(({ scan, lostByDb, tieBrokenBy }) => {
      const by = scan.scan ? `, ${sayScan(scan.scan, names)}` : '';
      return forTerminal(
        `  ${shownTime(scan.observedAt)} at ${keyOf(scan.locationId)}${by}${sayLost(lostByDb, tieBrokenBy)}`,
      );
    }),
  ];
}

function sayLost(lostByDb: number | null, tieBrokenBy: TieBreak | null): string {
  const difference =
    lostByDb === null ? '' : `, ${Math.abs(lostByDb).toFixed(1)} dB ${lostByDb < 0 ? 'stronger' : 'weaker'}`;
  return tieBrokenBy === null ? difference : `${difference}; at the same instant, ${TIES[tieBrokenBy]}`;
}

const TIES: Record<TieBreak, string> = {
  person: "where a person's scan goes first",
  strength: 'where the stronger read goes first',
  location: 'where of equal reads the older location (the smaller id) goes first',
  source: 'and it says the same',
};
