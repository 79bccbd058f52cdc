import { AppError } from '../../../base/errors.ts';
import type { Micros } from '../../../base/instant.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { inSnapshot } from '../../../db/timescale/connections/transaction.ts';
import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { requireLiveByKey } from '../../../domain/master-data/by-id-or-key.ts';
import { requirePast } from '../../../domain/reports/require-past.ts';
import { firstAfter } from '../../../domain/reports/window.ts';
import type { DecidingScan } from '../../../domain/tracking/history/deciding-scan.ts';
import type { MetricPosition } from '../../../domain/tracking/history/metric-position.ts';
import type { Evidence, Rule } from '../../../domain/tracking/location/stated-locations.ts';
import { explanationAsJson, lateSeconds } from '../../../domain/tracking/why/as-json.ts';
import {
  type Explanation,
  explain,
  type Latest,
  NotSeenYet,
  type Stay,
} from '../../../domain/tracking/why/explain.ts';
import { type Lack, lackOf, oddsOf } from '../../../domain/tracking/why/lack.ts';
import { antennaShown, type Names, namesIn } from '../../../domain/tracking/why/names.ts';
import type { Rival, TieBreak } from '../../../domain/tracking/why/rivals.ts';
import type { TimeBound } from '../../../platform/http/parameters.ts';
import { addTopCommand, type Command, examples, id } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { reportTime, shownTime } from '../command-line/instants.ts';
import { withConnections } from '../connections/database.ts';

interface Options {
  org: number;
  asset: string;
  at?: TimeBound;
}

export function addWhy(program: Command): void {
  addTopCommand(program, 'why')
    .helpGroup('Assets and locations:')
    .description(
      'Say why an asset is, or was, at a location: the scan that decided it and how, the other reads around it, and earlier answers; or between which locations it is undecided.',
    )
    .requiredOption('--org <id>', 'the organization', id)
    .requiredOption('--asset <key>', 'the asset, by its external key')
    .option('--at <time>', 'where it was at this time, RFC 3339; default: now', reportTime)
    .addHelpText(
      ...examples(
        'why --org 1 --asset FORKLIFT-2',
        'why --org 1 --asset FORKLIFT-2 --at 2026-05-04T08:00:00Z',
      ),
    )
    .prints(async (options: Options) => {
      const { org: orgId, asset: externalKey } = options;
      const at = options.at === undefined ? null : firstAfter(options.at) - 1;
      return withConnections(async ({ db, pool }) => {
        await requirePast(db, at === null ? {} : { at });
        await requireLiveOrganization(db, orgId);
        const assetId = await requireLiveByKey(db, 'asset', orgId, externalKey);
        const explanation = await inSnapshot(pool, (client) => explain(client, { orgId, assetId }, at));
        if (explanation instanceof NotSeenYet) {
          throw new AppError('not_found', sayNotSeen(externalKey, explanation, orgId));
        }
        const names = await namesIn(db, orgId, explanation);
        return {
          json: explanationAsJson({ id: assetId, external_key: externalKey }, explanation, names),
          text: whyText(externalKey, explanation, names),
        };
      });
    });
}

function sayNotSeen(externalKey: string, { firstSeen }: NotSeenYet, orgId: number): string {
  return firstSeen === null
    ? `Asset ${externalKey} has never been seen; to list reads of unknown tags: tagtrail unknown-tags list --org ${orgId}`
    : `Asset ${externalKey} was first seen at ${shownTime(firstSeen)}; ask for that time or a later one`;
}

/** Explains in prose, as to somebody who looks for the asset. */
function whyText(externalKey: string, explanation: Explanation, names: Names): string {
  const { stay, latest, saidBefore } = explanation;
  const keyOf = (id: number | null) =>
    id === null ? 'nowhere' : (names.locations.get(id) ?? `location ${id}`);
  return [
    ...(stay === null
      ? [`${externalKey} has no location yet: none of its reads says for certain where it is.`]
      : stayLines(externalKey, stay, explanation, keyOf, names)),
    ...(latest === null ? [] : latestLines(latest, keyOf, names)),
    ...(saidBefore.length === 0 ? [] : ['', 'Before that:']),
    ...saidBefore.map(({ locationId, until }) => `  until ${shownTime(until)} we said ${keyOf(locationId)}`),
  ].join('\n');
}

type Say = (id: number | null) => string;

function stayLines(
  externalKey: string,
  stay: Stay,
  { decidedBy, rule, evidence, isTooMuch, isAsRecorded, rivals, isCut }: Explanation,
  keyOf: Say,
  names: Names,
): string[] {
  const location = keyOf(stay.locationId);
  return [
    stay.to === null
      ? `${externalKey} is at ${location}, since ${shownTime(stay.from)}.`
      : `${externalKey} was at ${location} from ${shownTime(stay.from)} to ${shownTime(stay.to)}.`,
    '',
    decidedBy === null
      ? 'The scan that decided it was not kept.'
      : forTerminal(`Decided by ${sayScan(decidedBy, names)}${sayLate(decidedBy, stay.from)}.`),
    sayRule(rule, location),
    ...(stay.position === null ? [] : [sayPosition(stay.position, keyOf)]),
    ...(isTooMuch ? ['There are too many reads around it to show how it was decided.'] : []),
    ...(isAsRecorded
      ? []
      : [
          'By the present offsets, plans and tree of locations it would be decided otherwise; ' +
            `to apply them: ${TAGTRAIL} history recompute --help`,
        ]),
    ...(evidence === null ? [] : evidenceLines(evidence, keyOf, names)),
    ...sayRivals(rivals, isCut, keyOf, names),
  ];
}

/** Adds a line only if the last reads disagree with the stay. */
function latestLines({ at, locationId, rule, evidence }: Latest, keyOf: Say, names: Names): string[] {
  const lack = evidence === null ? null : lackOf(evidence);
  return [
    '',
    locationId === null
      ? `Its last reads, at ${shownTime(at)}, do not decide where it is${sayLack(evidence, lack, keyOf)}`
      : `Its last reads, at ${shownTime(at)}, say ${keyOf(locationId)}${sayOwnRule(rule)}.`,
    ...(evidence === null ? [] : evidenceLines(evidence, keyOf, names)),
  ];
}

/** For rules by which one scan decides alone. */
function sayOwnRule(rule: Rule | null): string {
  return rule === 'every'
    ? ', where every scan counts'
    : rule === 'person'
      ? ', where a person scanned it'
      : '';
}

function sayLack(evidence: Evidence | null, lack: Lack | null, keyOf: Say): string {
  if (evidence === null) {
    return '; there are too many to show why.';
  }
  if (lack === null) {
    return evidence.proof === null
      ? '.'
      : `: it is heard best at ${keyOf(evidence.locationId)}, but no read of that half second was made there, or none that strength decides.`;
  }
  const { here, there, unit, reached, needed } = lack;
  const [one, other] = [keyOf(here), keyOf(there)];
  switch (unit) {
    case 'dB':
      return `: ${one} is ${sayNumber(reached)} dB stronger than ${other}, ${sayNumber(needed)} needed.`;
    case 'reads':
      return `: ${one} has ${sayNumber(reached)} reads more than ${other}, ${sayNumber(needed)} needed.`;
    case 'odds':
      return `: ${one} is ${sayNumber(reached)} times as likely as ${other}, ${sayNumber(needed)} needed.`;
  }
}

function sayNumber(value: number | null): string {
  return value === null ? 'over 1000' : value.toFixed(1);
}

/** Locations that a table shows. */
const MOST_HEARD = 20;

function evidenceLines(
  { procedure, certainty, window, heard, unit, shares, odds }: Evidence,
  keyOf: Say,
  names: Names,
): string[] {
  const { readers } = names;
  const times = odds === null ? null : oddsOf(odds);
  return [
    '',
    `Heard from ${shownTime(window.from)} to ${shownTime(window.to)}, certainty ${certainty}:`,
    ...heard.slice(0, MOST_HEARD).map((each) => {
      const { locationId, readerId, antenna, reads, readsWithRssi, level, margin } = each;
      const strength =
        level === null ? 'no signal strength' : `${counted(readsWithRssi)}, level ${level.toFixed(1)} dBm`;
      // Counts are compared of whole locations, and levels of one antenna.
      const all = reads === readsWithRssi ? '' : `, ${level === null ? '' : 'of '}${counted(reads)} there`;
      const lead =
        margin === null || unit === null || procedure === 'position'
          ? ''
          : `, behind by ${sayNumber(margin.reached)} ${unit}, ${sayNumber(margin.needed)} needed`;
      const by = `reader ${readers.get(readerId) ?? readerId}, antenna ${antennaShown(names, readerId, antenna)}`;
      return forTerminal(`  ${keyOf(locationId)}: ${by}, ${strength}${all}${lead}`);
    }),
    ...(heard.length > MOST_HEARD ? [`  and ${heard.length - MOST_HEARD} more locations`] : []),
    ...(shares === null ? [] : ['How likely each location is by position:']),
    ...(shares ?? []).map(({ locationId, share }) => `  ${keyOf(locationId)}: ${(100 * share).toFixed(1)} %`),
    ...(times === null
      ? []
      : [
          `  the first is ${sayNumber(times.reached)} times as likely as the second, ${sayNumber(times.needed)} needed for ${counted(times.reads)} at one antenna`,
        ]),
  ];
}

function counted(reads: number): string {
  return reads === 1 ? '1 read' : `${reads} reads`;
}

function sayPosition({ planLocationId, x, y, radius }: MetricPosition, keyOf: Say): string {
  return `On the plan of ${keyOf(planLocationId)} it was ${x.toFixed(1)} m from the left and ${y.toFixed(1)} m from the top, within about ${radius.toFixed(1)} m.`;
}

function sayScan({ source, tagType, tagValue, rssi }: DecidingScan, names: Names): string {
  const { readers, handhelds } = names;
  const strength = rssi === null ? '' : ` at ${rssi} dBm`;
  return source.kind === 'reader'
    ? `reader ${readers.get(source.readerId) ?? source.readerId}, antenna ${antennaShown(names, source.readerId, source.antenna)}, which read ${tagType} ${tagValue}${strength}`
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

function sayRule(rule: Rule | null, location: string): string {
  return rule === null
    ? 'Why it counted is no longer known: the scans around it were dropped.'
    : `It counts because ${RULES[rule](location)}.`;
}

const RULES: Record<Rule, (location: string) => string> = {
  person: () => 'a person made it',
  every: (location) => `every scan counts at ${location}`,
  only_here: (location) => `the asset was read nowhere but at ${location} around then`,
  strength: (location) => `the asset was heard more strongly at ${location} than anywhere else`,
  counts: (location) =>
    `the asset was read more often at ${location} than anywhere else, and some of the reads have no signal strength`,
  position: (location) => `its signals are those of something at ${location}`,
};

function sayRivals(
  rivals: readonly Rival[] | null,
  isCut: boolean,
  keyOf: (id: number) => string,
  names: Names,
): string[] {
  if (rivals === null) {
    return ['Other reads of that time are no longer kept.'];
  }
  if (rivals.length === 0) {
    return ['Nothing else was read just before.'];
  }
  return [
    '',
    isCut ? 'Read as well, among the nearest reads:' : 'Read as well:',
    ...rivals.map(({ scan, lostByDb, tieBrokenBy }) => {
      const by = `, ${sayScan(scan.scan, names)}`;
      return forTerminal(
        `  ${shownTime(scan.observedAt)} at ${keyOf(scan.locationId)}${by}${sayLost(lostByDb, tieBrokenBy)}`,
      );
    }),
  ];
}

function sayLost(lostByDb: number | null, tieBrokenBy: TieBreak | null): string {
  const difference = lostByDb === null ? '' : `, ${sayDifference(lostByDb)}`;
  return tieBrokenBy === null ? difference : `${difference}; at the same instant, ${TIES[tieBrokenBy]}`;
}

function sayDifference(lostByDb: number): string {
  const amount = Math.abs(lostByDb).toFixed(1);
  return amount === '0.0' ? 'as strong' : `${amount} dB ${lostByDb < 0 ? 'stronger' : 'weaker'}`;
}

const TIES: Record<TieBreak, string> = {
  person: "where a person's scan goes first",
  strength: 'where the stronger read goes first',
  location: 'where of equal reads the older location (the smaller id) goes first',
  source: 'and it says the same',
};
