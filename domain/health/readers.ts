import { eachInTurns } from '../../base/each-in-turns.ts';
import { wireTimeOrNull } from '../../base/timestamps.ts';
import { TAGTRAIL } from '../../base/typed-command.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { LIVE_READERS } from '../administration/live-readers.ts';
import { IS_REGISTERED } from '../administration/readers/list-readers.ts';
import {
  type PublishedAt,
  publishedOverlap,
  readPublishedAt,
} from '../administration/readers/published-topics.ts';
import { READER_CLOCK, type ReaderClock } from '../administration/readers/reader-clock.ts';
import { CLOCK_IS_UNSET } from '../administration/readers/reader-flaws.ts';
import { UNHEARD_SINCE } from '../administration/readers/reader-state.ts';
import { asAntenna } from '../formats/mapping/acceptance.ts';
import { loadBuiltinFormats } from '../formats/mapping/builtin.ts';
import { namesAntennas } from '../formats/names-antennas.ts';
import { NO_FORMAT } from '../formats/no-format.ts';
import { type Finding, fault, isOf, type Mend, ok, warning } from './finding.ts';

/** Organizations named one by one. */
const MOST_ORGANIZATIONS = 10;

interface ReaderRow {
  id: number;
  name: string;
  format: string;
  is_known_format: boolean;
  unheard_since: string | null;
  last_message_at: string | null;
  unplaced_ports: string[];
  /** Antennas that its messages named in the last seven days, and nobody has registered. */
  unregistered: string[];
  clock: ReaderClock | null;
  clock_is_unset: boolean;
  /** A time that could not be read, of the last seven days. */
  time_example: string | null;
  /** An impossible measured value, of the last seven days. */
  readings_example: string | null;
  /** Of these, one an hour was kept in the last seven days. */
  near_misses: number;
}

/** Reports readers that cannot be heard, or have a missing format, a wrong clock, or antennas at no location. */
export async function examineReaders(db: Connection, orgId: number | null = null): Promise<Finding[]> {
  const stored = await findReaders(db, orgId);
  const rows = await eachInTurns(
    stored,
    (row): ReaderRow => ({ ...row, clock: row.clock === null ? null : JSON.parse(row.clock) }),
  );
  if (rows.length === 0) {
    return [
      warning('readers', 'There are none', `Register one: ${TAGTRAIL} reader create --help`, {
        what: 'add_reader',
        id: null,
      }),
    ];
  }
  const findings = [
    ...withoutFormat(rows),
    ...withoutMessages(rows),
    ...withWrongClock(rows),
    ...withUnreadableTimes(rows),
    ...withImpossibleReadings(rows),
    ...withUnplacedAntennas(rows),
    ...withNearMisses(rows),
  ];
  return findings.length === 0 ? [ok('readers', `${rows.length}, none of them silent`)] : findings;
}

function withoutFormat(rows: readonly ReaderRow[]): Finding[] {
  const unknown = rows.filter((reader) => !reader.is_known_format);
  return [
    ...ofUnknownFormat(
      unknown.filter((reader) => reader.last_message_at !== null),
      { tell: fault, are: 'are' },
    ),
    ...ofUnknownFormat(
      unknown.filter((reader) => reader.last_message_at === null),
      { tell: warning, are: 'will be' },
    ),
  ];
}

function ofUnknownFormat(
  unknown: readonly ReaderRow[],
  { tell, are }: { tell: typeof fault; are: string },
): Finding[] {
  const findings = unknown.slice(0, MOST_NAMED).map((reader) => {
    const message =
      reader.format === NO_FORMAT
        ? `${nameOf(reader)} has no format yet: all its messages ${are} rejected`
        : `${nameOf(reader)} has the format ${reader.format}, which does not exist: all its messages ${are} rejected`;
    return tell(
      'readers',
      message,
      `${TAGTRAIL} format add --file ..., or ${TAGTRAIL} reader set --reader ${reader.id} --format ...`,
      { what: 'set_format', id: reader.id },
    );
  });
  if (unknown.length > MOST_NAMED) {
    findings.push(
      tell(
        'readers',
        `${unknown.length - MOST_NAMED} more readers have no format, or one that does not exist: all their messages ${are} rejected`,
        `${TAGTRAIL} format list, and ${TAGTRAIL} reader list --org ...`,
        { what: 'set_format', id: null },
      ),
    );
  }
  return findings;
}

function withoutMessages(rows: readonly ReaderRow[]): Finding[] {
  const silent = rows.filter((reader) => reader.unheard_since !== null && reader.last_message_at !== null);
  const never = rows.filter((reader) => reader.last_message_at === null);
  const findings: Finding[] = [];
  if (silent.length > 0) {
    findings.push(
      warning(
        'readers',
        `Cannot be heard: ${silent.slice(0, MOST_NAMED).map(unheard).join(', ')}${more(silent)}`,
        "Check the reader's power, network, broker address and login",
        { what: 'look_at_silent', id: null },
      ),
    );
  }
  if (never.length > 0) {
    findings.push(
      warning(
        'readers',
        `Never heard from: ${never.slice(0, MOST_NAMED).map(nameOf).join(', ')}${more(never)}`,
        `Check that it publishes to the topic it is registered with: ${TAGTRAIL} reader list --org ...`,
        { what: 'look_at_unheard', id: null },
      ),
    );
  }
  return findings;
}

function withWrongClock(rows: readonly ReaderRow[]): Finding[] {
  const astray = rows.filter((reader) => reader.clock?.wrong === true);
  const doubtful = rows.filter((reader) => reader.clock?.doubtful === true);
  const unset = rows.filter((reader) => reader.clock_is_unset);
  return [
    ...warningOfEach(astray, 'set_clock', ({ id, clock }) => [
      `has a clock that is ${sayClock(clock)}: its reads ${(clock?.behind_seconds ?? 0) > 0 ? 'are dated into the past and seldom move assets' : 'are dated on receipt'}`,
      `Set its clock (NTP), or have its reads dated on receipt: ${TAGTRAIL} reader set --reader ${id} --time receive`,
    ]),
    ...warningOfEach(doubtful, 'set_clock', ({ clock }) => [
      `may have a wrong clock: so far it is ${sayClock(clock)}`,
      `Compare its clock with this machine's; if it is right, this warning ends within minutes`,
    ]),
    ...warningOfEach(unset, 'set_clock', () => [
      'has a clock that is not set: its reads are dated on receipt',
      'Set its clock (NTP)',
    ]),
  ];
}

function withUnreadableTimes(rows: readonly ReaderRow[]): Finding[] {
  const unreadable = rows.filter((reader) => reader.time_example !== null);
  return warningOfEach(unreadable, 'set_format', ({ time_example: example, format }) => [
    `had a time that could not be read: ${JSON.stringify(example)}; its reads are dated on receipt`,
    `Set the device to send RFC 3339 with an offset, or seconds or milliseconds since 1970; or copy its format (${TAGTRAIL} format show ${format}) and name the notation`,
  ]);
}

function withImpossibleReadings(rows: readonly ReaderRow[]): Finding[] {
  const impossible = rows.filter((reader) => reader.readings_example !== null);
  return warningOfEach(impossible, 'set_format', ({ readings_example: example, format }) => [
    `had a measured value that is impossible: ${JSON.stringify(example)}; such values are left out`,
    `Look at the tag's sensor; or, if the value has another unit, copy its format (${TAGTRAIL} format show ${format}) and scale it`,
  ]);
}

function withUnplacedAntennas(rows: readonly ReaderRow[]): Finding[] {
  const unplaced = rows.filter((reader) => reader.unplaced_ports.length > 0);
  const unregistered = rows.filter((reader) => reader.unregistered.length > 0);
  return [
    ...warningOfEach(unplaced, 'place_antennas', ({ id, unplaced_ports: ports }) => [
      `has antennas that are at no location (${ports.join(', ')}): their reads move nothing`,
      `${TAGTRAIL} antenna set --reader ${id} ${optionOf(ports[0])} --location KEY`,
    ]),
    ...warningOfEach(unregistered, 'place_antennas', ({ id, unregistered: names }) => [
      `names antennas that nobody has registered (${names.map((name) => name || 'none of its several').join(', ')}): their reads move nothing`,
      `${TAGTRAIL} antenna set --reader ${id} ${optionOf(names.find((name) => name !== ''))} --location KEY; ${TAGTRAIL} reader antennas --reader ${id} lists them`,
    ]),
  ];
}

function withNearMisses(rows: readonly ReaderRow[]): Finding[] {
  const missed = rows.filter((reader) => reader.near_misses > 0);
  return warningOfEach(missed, 'set_format', ({ id, near_misses: count }) => [
    `had ${count} messages ignored that hold something like a tag: should these have been reads?`,
    `${TAGTRAIL} rejected list shows one an hour, with the formats that would read it; then ${TAGTRAIL} reader set --reader ${id} --format ..., or rejected dismiss`,
  ]);
}

/** @param say the message behind the reader's name, and the remedy. */
function warningOfEach(
  readers: readonly ReaderRow[],
  what: Mend['what'],
  say: (reader: ReaderRow) => [message: string, remedy: string],
): Finding[] {
  return readers.slice(0, MOST_NAMED).map((reader) => {
    const [message, remedy] = say(reader);
    return warning('readers', `${nameOf(reader)} ${message}`, remedy, { what, id: reader.id });
  });
}

/** Readers named one by one. */
const MOST_NAMED = 10;

/** How `antenna set` names an antenna. */
function optionOf(antenna = 'NAME'): string {
  const said = asAntenna(antenna);
  return typeof said === 'number' ? `--port ${said}` : `--name=${JSON.stringify(antenna)}`;
}

function sayClock(clock: ReaderClock | null): string {
  const seconds = Math.round(clock?.behind_seconds ?? 0);
  return `${Math.abs(seconds)} s ${seconds > 0 ? 'behind, or it holds its reads back for that long' : 'ahead'}`;
}

function nameOf({ id, name }: ReaderRow): string {
  return `${name} (reader ${id})`;
}

function unheard(reader: ReaderRow): string {
  return `${nameOf(reader)} since ${wireTimeOrNull(reader.unheard_since)}`;
}

function more(readers: readonly ReaderRow[]): string {
  return readers.length > MOST_NAMED ? ` and ${readers.length - MOST_NAMED} more` : '';
}

type StoredRow = Omit<ReaderRow, 'clock'> & { clock: string | null };

function findReaders(db: Connection, orgId: number | null): Promise<readonly StoredRow[]> {
  const formats = [...loadBuiltinFormats()];
  const builtin = sql.array(
    formats.map(([name]) => name),
    'text',
  );
  const naming = sql.array(
    formats.flatMap(([name, { definition }]) => (namesAntennas(definition) ? [name] : [])),
    'text',
  );
  return db.any(sql.type(rowsOf<StoredRow>())`
    select reader.id, reader.name, reader.format,
      reader.format = any(${builtin}) or exists (select from formats where name = reader.format) as is_known_format,
      counted.last_message_at,
      ${UNHEARD_SINCE} as unheard_since,
      array(
        select coalesce(antenna.name, antenna.device_port::text, antenna.port::text) from antennas antenna
        left join locations location on location.org_id = antenna.org_id and location.id = antenna.location_id
          and location.deleted_at is null
        where antenna.org_id = reader.org_id and antenna.reader_id = reader.id and antenna.is_enabled
          and location.id is null
          -- The first, which each reader has, of one that names its antennas.
          and not (antenna.port = 1 and antenna.name is null and (reader.format = any(${naming}) or exists (
            select from antennas other where other.org_id = reader.org_id and other.reader_id = reader.id
              and other.name is not null and other.location_id is not null)))
        order by antenna.port
      ) as unplaced_ports,
      array(
        select unplaced.name from unplaced_antennas unplaced
        where unplaced.org_id = reader.org_id and unplaced.reader_id = reader.id
          and unplaced.last_read_at > now() - interval '7 days' and not ${IS_REGISTERED}
        order by unplaced.reads desc, unplaced.name limit ${MOST_NAMED}
      ) as unregistered,
      ${READER_CLOCK} as clock, coalesce(${CLOCK_IS_UNSET}, false) as clock_is_unset,
      case when flawed.time_unreadable_at > now() - interval '7 days' then flawed.time_example end as time_example,
      case when flawed.readings_unusable_at > now() - interval '7 days' then flawed.readings_example end as readings_example,
      case when flawed.near_miss_kept_at > now() - interval '7 days' and exists (
        select from rejected_messages kept
        where kept.org_id = reader.org_id and kept.reader_id = reader.id and kept.kind = 'near_miss'
          and kept.replayed_at is null and kept.dismissed_at is null
      ) then flawed.near_misses else 0 end as near_misses
    from ${LIVE_READERS}
    left join reader_counters counted on counted.org_id = reader.org_id and counted.reader_id = reader.id
    left join reader_flaws flawed on flawed.org_id = reader.org_id and flawed.reader_id = reader.id
    where ${isOf(sql.fragment`reader.org_id`, orgId)}
    order by reader.id`);
}

export async function examineRejections(db: Connection, orgId: number | null = null): Promise<Finding> {
  const { count, strangers } = await db.one(sql.type(rowsOf<{ count: number; strangers: number }>())`
    select count(*) as count, count(*) filter (where reader_id is null and org_id is null) as strangers
    from rejected_messages where ${isOf(sql.fragment`org_id`, orgId)} and kind = 'rejected' and replayed_at is null and dismissed_at is null and received_at > now() - interval '7 days'`);
  if (count === 0) {
    return ok('rejected messages', 'None in a week, except replayed ones');
  }
  const ofStrangers = strangers === 0 ? '' : `, ${strangers} of them on topics that no reader has`;
  return warning(
    'rejected messages',
    `${count} in a week${ofStrangers}`,
    `${TAGTRAIL} rejected list says why; mend the cause, then ${TAGTRAIL} rejected replay, or rejected dismiss`,
    { what: 'empty_inbox', id: null },
  );
}

/** Names organizations whose silent readers are unknown because deriving them fails. */
export async function examineSilences(db: Connection, orgId: number | null = null): Promise<Finding[]> {
  const rows = await db.any(sql.type(
    rowsOf<{ org_id: number; name: string | null; reason: string; minutes: number }>(),
  )`
    select fault.org_id, organization.name, fault.reason,
      floor(extract(epoch from clock_timestamp() - fault.since) / 60)::integer as minutes
    from silence_faults fault
    left join organizations organization on organization.id = fault.org_id
    where ${isOf(sql.fragment`fault.org_id`, orgId)}
    order by fault.since, fault.org_id limit ${MOST_ORGANIZATIONS}`);
  return rows.map(({ org_id: id, name, reason, minutes }) =>
    fault(
      'readers',
      `Organization ${id} (${name ?? 'unknown'}): for ${minutes} minutes silences of its readers could not be derived (${reason}); other organizations are not affected`,
      'Report this with the log of the worker; it is retried at least every five minutes, and missing silences follow',
    ),
  );
}

/** Names readers that could overwrite published moves: registered before those were published there. */
export async function examinePublishedTopics(
  db: Connection,
  configured: PublishedAt | null,
  orgId: number | null = null,
): Promise<Finding[]> {
  const recorded = await readPublishedAt(db);
  const published = configured === null ? recorded : [configured, ...recorded];
  if (published.length === 0) {
    return [];
  }
  const readers = await db.any(sql.type(rowsOf<{ id: number; name: string; topic: string }>())`
    select reader.id, reader.name, reader.topic from ${LIVE_READERS}
    where ${isOf(sql.fragment`reader.org_id`, orgId)} order by reader.id`);
  const findings: Finding[] = [];
  for (const { id, name, topic } of readers) {
    const what = publishedOverlap(topic, published);
    if (what !== null && findings.length < MOST_NAMED) {
      findings.push(
        fault(
          'published topics',
          `The topic ${topic} of ${name} (reader ${id}) overlaps with ${what}: it could overwrite them`,
          `Give it a topic elsewhere, on the device too: ${TAGTRAIL} reader set --reader ${id} --topic ...`,
          { what: 'change_topic', id },
        ),
      );
    }
  }
  return findings;
}
