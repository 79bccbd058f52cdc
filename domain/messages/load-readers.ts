import { eachInTurns } from '../../base/each-in-turns.ts';
import type { Micros } from '../../base/instant.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { FIXED_LEVELS, LIVE_READERS } from '../administration/live-readers.ts';
import { fixedBeginnings, topicMatches } from '../administration/readers/topic.ts';
import type { Format } from '../formats/mapping/format.ts';
import type { Policies } from '../formats/mapping/policies.ts';

/** A live reader of a live organization, with everything needed to judge its messages. */
export interface RegisteredReader {
  orgId: number;
  readerId: number;
  name: string;
  topic: string;
  formatName: string;
  /** Null if there is no usable format of that name. */
  format: Format | null;
  policies: Partial<Policies>;
  username: string;
  passwordSha256: Buffer;
  /** By number: the port; below 0 for antennas with names, or ports above 32767. */
  antennas: ReadonlyMap<number, Antenna>;
  /** Numbers of antennas by name, and by such a port. */
  antennasNamed: ReadonlyMap<number | string, number>;
  registeredAt: Micros;
}

export interface Antenna {
  locationId: number | null;
  /** dBm. Weaker reads are unplaced; reads without RSSI are not. */
  minRssi: number | null;
  isEnabled: boolean;
}

/** Readers of these organizations, with these ids, or with one of these topics. */
export interface WhichReaders {
  orgIds?: readonly number[];
  readerIds?: readonly number[];
  topics?: readonly string[];
}

/**
 * Yields to others, however many readers there are.
 *
 * @param which null for all.
 */
export async function loadReaders(
  db: Connection,
  formats: { get(name: string): Format | undefined },
  which: WhichReaders | null = null,
): Promise<RegisteredReader[]> {
  const { orgIds = [], readerIds = [], topics = [] } = which ?? {};
  const fixed = topics.map((topic) => fixedBeginnings(topic).at(-1) ?? '');
  const rows = await db.any(sql.type(rowsOf<ReaderRow>())`
    select reader.org_id, reader.id, reader.name, reader.topic, reader.format, reader.time_policy,
       reader.identity_policy, reader.report_unknown, reader.mqtt_username, reader.mqtt_password_sha256,
       micros_of_time(reader.created_at) as registered_at,
       coalesce((
         select json_agg(json_build_object('port', antenna.port, 'name', antenna.name, 'devicePort', antenna.device_port,
           'locationId', antenna.location_id, 'minRssi', antenna.min_rssi, 'isEnabled', antenna.is_enabled))
         from antennas antenna where antenna.org_id = reader.org_id and antenna.reader_id = reader.id
       ), '[]') as antennas
     from ${LIVE_READERS}
     where ${which === null} or reader.org_id = any (${sql.array(orgIds, 'int4')})
       or reader.id = any (${sql.array(readerIds, 'int4')})
       or ${FIXED_LEVELS} = any (${sql.array(fixed, 'text')}) and reader.topic = any (${sql.array(topics, 'text')})
     order by reader.id`);
  return eachInTurns(rows, (row) => ({
    orgId: row.org_id,
    readerId: row.id,
    name: row.name,
    topic: row.topic,
    formatName: row.format,
    format: formats.get(row.format) ?? null,
    policies: {
      ...(row.identity_policy === null ? {} : { identity: row.identity_policy }),
      ...(row.time_policy === null ? {} : { time: row.time_policy }),
      ...(row.report_unknown === null ? {} : { reportUnknown: row.report_unknown ? 'on' : 'off' }),
    },
    username: row.mqtt_username,
    passwordSha256: row.mqtt_password_sha256,
    registeredAt: row.registered_at,
    ...antennasOf(JSON.parse(row.antennas)),
  }));
}

type StoredAntenna = Antenna & { port: number; name: string | null; devicePort: number | null };

function antennasOf(stored: readonly StoredAntenna[]): Pick<RegisteredReader, 'antennas' | 'antennasNamed'> {
  const antennasNamed = new Map<number | string, number>();
  for (const { port, name, devicePort } of stored) {
    for (const given of [name, devicePort]) {
      if (given !== null) {
        antennasNamed.set(given, port);
      }
    }
  }
  const antennas = stored.map(
    ({ port, locationId, minRssi, isEnabled }) => [port, { locationId, minRssi, isEnabled }] as const,
  );
  return { antennas: new Map(antennas), antennasNamed };
}

/**
 * The reader that owns a topic.
 *
 * @param orgId null for any organization's.
 */
export async function findReaderByTopic(
  db: Connection,
  formats: { get(name: string): Format | undefined },
  topic: string,
  orgId: number | null,
): Promise<RegisteredReader | null> {
  const rows = await db.any(sql.type(rowsOf<{ id: number; topic: string }>())`
    select reader.id, reader.topic
    from ${LIVE_READERS}
    where ${FIXED_LEVELS} = any (${sql.array(fixedBeginnings(topic), 'text')})
      and (${orgId}::integer is null or reader.org_id = ${orgId}::integer)
    order by reader.id`);
  const found = rows.find((reader) => topicMatches(reader.topic, topic));
  const [reader] = found === undefined ? [] : await loadReaders(db, formats, { readerIds: [found.id] });
  return reader ?? null;
}

/** SHA-256 of live readers' passwords, by user name. */
export async function findPasswords(
  db: Connection,
  usernames: readonly string[],
): Promise<ReadonlyMap<string, Buffer>> {
  const rows = await db.any(sql.type(rowsOf<{ name: string; sha256: Buffer }>())`
    select reader.mqtt_username as name, reader.mqtt_password_sha256 as sha256
    from ${LIVE_READERS} where reader.mqtt_username = any (${sql.array(usernames, 'text')})`);
  return new Map(rows.map(({ name, sha256 }) => [name, sha256]));
}

interface ReaderRow {
  org_id: number;
  id: number;
  name: string;
  topic: string;
  format: string;
  time_policy: Policies['time'] | null;
  identity_policy: Policies['identity'] | null;
  report_unknown: boolean | null;
  mqtt_username: string;
  mqtt_password_sha256: Buffer;
  registered_at: Micros;
  antennas: string;
}

/** User names of readers whose organization moves to another cell, or has moved. */
export async function loadLeavingReaders(db: Connection): Promise<ReadonlySet<string>> {
  const rows = await db.any(sql.prepared('load-leaving-readers', rowsOf<{ mqtt_username: string }>())`
    select reader.mqtt_username
    from organizations organization
    join readers reader on reader.org_id = organization.id and reader.deleted_at is null
    where organization.held_at is not null`);
  return new Set(rows.map((row) => row.mqtt_username));
}
