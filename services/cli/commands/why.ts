import type { Command } from 'commander';
import { AppError } from '../../../base/errors.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { inSnapshot } from '../../../db/timescale/connections/transaction.ts';
import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { requireLiveByKey } from '../../../domain/master-data/live-by-key.ts';
import { requirePast } from '../../../domain/reports/require-past.ts';
import { firstAfter } from '../../../domain/reports/window.ts';
import type { DecidingScan } from '../../../domain/tracking/history/deciding-scan.ts';
import type { Reason } from '../../../domain/tracking/smoothing/counting.ts';
import { type Explanation, explain, NotSeenYet } from '../../../domain/tracking/why/explain.ts';
import { type Names, namesIn } from '../../../domain/tracking/why/names.ts';
import type { Rival, TieBreak } from '../../../domain/tracking/why/rivals.ts';
import type { TimeBound } from '../../../platform/http/parameters.ts';
import { addTopCommand, id, printResult } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { reportTime, shownTime } from '../command-line/instants.ts';
import { withConnections } from '../connections/database.ts';

interface Options {
  org: number;
  asset: string;
  at?: TimeBound;
  json?: boolean;
}

export function addWhy(program: Command): void {
  addTopCommand(program, 'why')
    .helpGroup('Assets and locations:')
    .description(
      'Say why an asset is, or was, at a location: the scan that decided it and why it counts, the other reads around it, and earlier answers.',
    )
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--asset <key>', 'the asset, by its external key')
    .option('--at <time>', 'where it was at this time, RFC 3339; default: now', reportTime)
    .addHelpText(
      'after',
      `\nExamples:\n  ${TAGTRAIL} why --org 1 --asset FORKLIFT-2` +
        `\n  ${TAGTRAIL} why --org 1 --asset FORKLIFT-2 --at 2026-05-04T08:00:00Z`,
    )
    .action(async (options: Options) => {
      const { org: orgId, asset: externalKey } = options;
      const at = options.at === undefined ? null : firstAfter(options.at) - 1;
      const result = await withConnections(async ({ db, pool }) => {
        await requirePast(db, at === null ? {} : { at });
        await requireLiveOrganization(db, orgId);
        const assetId = await requireLiveByKey(db, 'asset', orgId, externalKey);
        const explanation = await inSnapshot(pool, (client) => explain(client, { orgId, assetId }, at));
        if (explanation instanceof NotSeenYet) {
          throw new AppError('not_found', sayNotSeen(externalKey, explanation, orgId));
        }
        const names = await namesIn(db, orgId, explanation);
        return {
          json: whyJson({ id: assetId, external_key: externalKey }, explanation, names),
          text: whyText(externalKey, explanation, names),
        };
      });
      printResult(result, options);
    });
}

function sayNotSeen(externalKey: string, { firstSeen }: NotSeenYet, orgId: number): string {
  return firstSeen === null
    ? `Asset ${externalKey} has never been seen; to list reads of unknown tags: tagtrail unknown-tags list --org ${orgId}`
    : `Asset ${externalKey} was first seen at ${shownTime(firstSeen)}; ask for that time or a later one`;
}

function whyJson(
  asset: { id: number; external_key: string },
  { stay, decidedBy, reason, rivals, saidBefore }: Explanation,
  names: Names,
): object {
  const keyOf = (id: number | null) => (id === null ? null : (names.locations.get(id) ?? null));
  return {
    asset,
    stay: {
      location_id: stay.locationId,
      location_external_key: keyOf(stay.locationId),
      from: shownTime(stay.from),
      to: stay.to === null ? null : shownTime(stay.to),
    },
    decided_by: decidedBy === null ? null : scanJson(decidedBy, stay.from, names),
    late_seconds: decidedBy === null ? null : lateSeconds(decidedBy, stay.from),
    rule: reason,
    neighbours:
      rivals?.map(({ scan, lostByDb, tieBrokenBy }) => ({
        location_id: scan.locationId,
        location_external_key: keyOf(scan.locationId),
        ...(scan.scan ? scanJson(scan.scan, scan.observedAt, names) : {}),
        lost_by_db: lostByDb,
        tie_broken_by: tieBrokenBy,
      })) ?? null,
    said_before: saidBefore.map(({ locationId, until }) => ({
      location_external_key: keyOf(locationId),
      until: shownTime(until),
    })),
  };
}

/** Whole seconds from when the scan was made to when it was received; negative if the device's clock is ahead. */
function lateSeconds({ receivedAt }: DecidingScan, observedAt: Micros): number {
  return Math.floor((receivedAt - observedAt) / MICROS_PER_SECOND);
}

function scanJson(
  { source, tagType, tagValue, rssi, receivedAt }: DecidingScan,
  observedAt: Micros,
  { readers }: Names,
): object {
  return {
    ...(source.kind === 'reader'
      ? { reader_id: source.readerId, reader: readers.get(source.readerId) ?? null, antenna: source.antenna }
      : { handheld_id: source.handheldId, submission_id: source.submissionId, index: source.index }),
    tag: { tag_type: tagType, value: tagValue },
    rssi,
    observed_at: shownTime(observedAt),
    received_at: shownTime(receivedAt),
  };
}

/** As one would say it to somebody who looks for the asset. */
function whyText(externalKey: string, explanation: Explanation, names: Names): string {
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
      ? 'The scan that decided it was not kept.'
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
    ? 'Why it counted is no longer known: the scans around it were dropped.'
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
    return ['Other reads of that time are no longer kept.'];
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
