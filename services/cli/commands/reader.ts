import { InvalidArgumentError } from 'commander';
import { AppError } from '../../../base/errors.ts';
import { heardEverywhere } from '../../../base/heard-everywhere.ts';
import { wireTime, wireTimeOrNull } from '../../../base/timestamps.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { awaitSubscribed } from '../../../domain/administration/readers/await-subscribed.ts';
import { type CreatedReader, createReader } from '../../../domain/administration/readers/create-reader.ts';
import { deleteReader } from '../../../domain/administration/readers/delete-reader.ts';
import {
  findAntennas,
  type ListedAntenna,
  listReaders,
} from '../../../domain/administration/readers/list-readers.ts';
import type { ReaderClock } from '../../../domain/administration/readers/reader-clock.ts';
import { portOf } from '../../../domain/administration/readers/set-antenna.ts';
import { type ReaderChange, setReader } from '../../../domain/administration/readers/set-reader.ts';
import { readerFields, type StoredReader } from '../../../domain/administration/readers/stored-reader.ts';
import { isWildcard, pushPath } from '../../../domain/administration/readers/topic.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { IDENTITIES, type Identity } from '../../../domain/formats/mapping/language/definition.ts';
import type { Policies } from '../../../domain/formats/mapping/policies.ts';
import { namesAntennas } from '../../../domain/formats/names-antennas.ts';
import { EXPECTED } from '../../../domain/presence/expectations.ts';
import { addCommand, type Command, examples, id, oneOf, printResult } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { listTable } from '../command-line/list-table.ts';
import { withConnections } from '../connections/database.ts';
import { secondsIn } from '../parts/duration.ts';
import { publishedAt } from '../parts/published-at.ts';
import { running } from '../running/running.ts';
import { finishOutput } from '../running/standard-output.ts';

export function addReader(program: Command): void {
  addReaderCreate(program);
  addReaderSet(program);
  addReaderDelete(program);
  addReaderList(program);
  addReaderAntennas(program);
}

interface CreateOptions extends Partial<Policies> {
  org: number;
  name: string;
  topic: string;
  format: string;
  expect?: number | 'learned';
}

function nextOf(readerId: number, format: string): string {
  const definition = loadBuiltinFormats().get(format)?.definition;
  const place = `${TAGTRAIL} antenna set --reader ${readerId}`;
  return definition !== undefined && namesAntennas(definition)
    ? `${place} --name <name> --location <external key>
      (after its first message, ${TAGTRAIL} reader antennas --reader ${readerId} lists the names)`
    : `${place} --port 1 --location <external key>`;
}

function addReaderCreate(program: Command): void {
  addCommand(program, 'reader', 'create')
    .description('Register a reader, with antenna 1. Its password is shown only now.')
    .requiredOption('--org <id>', 'the organization it belongs to', id)
    .requiredOption('--name <name>', 'its name, unique in the organization')
    .requiredOption('--topic <topic>', 'the topic it publishes to, or a filter with + and #')
    .requiredOption('--format <format>', 'its format, by name')
    .option('--time <policy>', 'which time counts: device or receive', oneOf('device', 'receive'))
    .option(
      '--identity <identity>',
      `what identifies a beacon: ${IDENTITIES.join(', ')}`,
      oneOf(...IDENTITIES),
    )
    .option('--report-unknown <on|off>', 'whether unknown tags are listed', oneOf('on', 'off'))
    .option('--expect <duration>', EXPECT_HELP, expectation)
    .addHelpText(...examples("reader create --org 1 --name 'Dock 2' --topic site/dock-2 --format csl-cs463"))
    .action(async (options: CreateOptions) => {
      const { org: orgId, name, topic, format, time, identity, reportUnknown, expect } = options;
      const policies: Partial<Policies> = {
        ...(time === undefined ? {} : { time }),
        ...(identity === undefined ? {} : { identity }),
        ...(reportUnknown === undefined ? {} : { reportUnknown }),
      };
      const configured = publishedAt(running().env);
      await withConnections(async ({ db, actor }) => {
        const reader = await createReader(
          db,
          actor,
          loadBuiltinFormats(),
          {
            ...{ orgId, name, topic, format, policies },
            ...(expect === undefined ? {} : { expectSeconds: secondsOf(expect) }),
          },
          configured,
        );
        const { id: readerId, mqttUsername, mqttPassword } = reader;
        printResult({
          json: {
            id: readerId,
            name,
            topic,
            mqtt_username: mqttUsername,
            mqtt_password: mqttPassword,
            push_path: pushPath(readerId),
          },
          text: sayCreated(reader, { name, topic, format }),
        });
        // The password above all, the only copy.
        await finishOutput();
        await awaitReader(db, topic);
      });
    });
}

function sayCreated(
  { id, mqttUsername, mqttPassword }: CreatedReader,
  { name, topic, format }: Pick<CreateOptions, 'name' | 'topic' | 'format'>,
): string {
  return `Reader ${id}: ${name}, on topic ${topic}
MQTT user name  ${mqttUsername}
MQTT password   ${mqttPassword}  (shown only now)
Or over HTTP    POST ${pushPath(id)}${isWildcard(topic) ? '?topic=<topic>' : ''} with the same login
Next: ${nextOf(id, format)}`;
}

interface SetOptions {
  reader: number;
  name?: string;
  topic?: string;
  format?: string;
  time?: 'device' | 'receive' | 'default';
  identity?: Identity | 'default';
  reportUnknown?: 'on' | 'off' | 'default';
  expect?: number | 'learned';
  newPassword?: true;
}

function addReaderSet(program: Command): void {
  addCommand(program, 'reader', 'set')
    .description(
      'Change the registration of a reader; it takes effect at once. Omitted options keep their values.',
    )
    .requiredOption('--reader <id>', 'which reader', id)
    .option('--name <name>', 'its name, unique in the organization')
    .option('--topic <topic>', 'the topic it publishes to, or a filter with + and #')
    .option('--format <format>', 'its format, by name')
    .option(
      '--time <policy>',
      "which time counts: device or receive; default for the format's own",
      oneOf('device', 'receive', 'default'),
    )
    .option(
      '--identity <identity>',
      `what identifies a beacon: ${IDENTITIES.join(', ')}; default for the format's own`,
      oneOf(...IDENTITIES, 'default'),
    )
    .option(
      '--report-unknown <on|off>',
      "whether unknown tags are listed; default for the format's own",
      oneOf('on', 'off', 'default'),
    )
    .option('--expect <duration>', EXPECT_HELP, expectation)
    .option('--new-password', 'make a new MQTT password, shown only now; the old one ends')
    .addHelpText(
      ...examples(
        'reader set --reader 1 --topic site/dock-3 --time receive',
        'reader set --reader 1 --expect 60s',
        'reader set --reader 1 --new-password',
      ),
    )
    .action(setByOptions);
}

async function setByOptions(options: SetOptions): Promise<void> {
  const change = changeOf(options);
  const configured = publishedAt(running().env);
  await withConnections(async ({ db, actor }) => {
    const { mqttPassword, isElsewhere, ...reader } = await setReader(
      db,
      actor,
      loadBuiltinFormats(),
      options.reader,
      change,
      configured,
    );
    printResult({
      json: { ...readerRow(reader), ...(mqttPassword === null ? {} : { mqtt_password: mqttPassword }) },
      text: saySet(reader, mqttPassword),
    });
    // The password above all, the only copy.
    await finishOutput();
    if (isElsewhere) {
      await awaitReader(db, reader.topic);
    }
  });
}

function saySet(reader: StoredReader, mqttPassword: string | null): string {
  return (
    `Reader ${reader.id}: ${forTerminal(reader.name)}, on topic ${forTerminal(reader.topic)}, format ${reader.format}, ` +
    `time ${reader.time ?? 'default'}, identity ${reader.identity ?? 'default'}, ` +
    `report-unknown ${reader.reportUnknown ?? 'default'}, expect ${sayExpectation(reader.expectSeconds)}` +
    (mqttPassword === null
      ? ''
      : `\nMQTT user name  ${reader.mqttUsername}\nMQTT password   ${mqttPassword}  (shown only now)`)
  );
}

function changeOf({
  name,
  topic,
  format,
  time,
  identity,
  reportUnknown,
  expect,
  newPassword,
}: SetOptions): ReaderChange {
  const change = {
    ...(name === undefined ? {} : { name }),
    ...(topic === undefined ? {} : { topic }),
    ...(format === undefined ? {} : { format }),
    ...(time === undefined ? {} : { time: time === 'default' ? null : time }),
    ...(identity === undefined ? {} : { identity: identity === 'default' ? null : identity }),
    ...(reportUnknown === undefined
      ? {}
      : { reportUnknown: reportUnknown === 'default' ? null : reportUnknown }),
    ...(expect === undefined ? {} : { expectSeconds: secondsOf(expect) }),
    ...(newPassword === true ? { hasNewPassword: true } : {}),
  };
  if (Object.keys(change).length === 0) {
    throw new AppError(
      'invalid_input',
      'Nothing to change: give --name, --topic, --format, --time, --identity, --report-unknown, --expect or --new-password',
    );
  }
  return change;
}

function addReaderDelete(program: Command): void {
  addCommand(program, 'reader', 'delete')
    .description('Delete a reader. Its past reads stay.')
    .requiredOption('--reader <id>', 'which reader', id)
    .addHelpText(...examples('reader delete --reader 1'))
    .prints(async (options: { reader: number }) => {
      const reader = await withConnections(({ db, actor }) => deleteReader(db, actor, options.reader));
      await heardEverywhere();
      const { id: readerId, name, topic } = reader;
      return {
        json: { id: readerId, name, topic, deleted_at: wireTime(reader.deletedAt) },
        text: forTerminal(`Reader ${readerId} (${name}) is deleted; topic ${topic} is free again.`),
      };
    });
}

function addReaderList(program: Command): void {
  addCommand(program, 'reader', 'list')
    .description(
      'List the readers of an organization: registration, antennas, and the outcomes of their reads.',
    )
    .requiredOption('--org <id>', 'the organization', id)
    .addHelpText(...examples('reader list --org 1'))
    .prints(async (options: { org: number }) => {
      const readers = await withConnections(async ({ db }) => {
        await requireLiveOrganization(db, options.org);
        return listReaders(db, options.org);
      });
      const rows = readers.map((reader) => ({
        ...readerRow(reader),
        created_at: wireTime(reader.createdAt),
        antennas: reader.antennas.map(antennaRow),
        unplaced_antennas: reader.unplaced,
        state: reader.state,
        unheard_since: wireTimeOrNull(reader.unheardSince),
        expected_seconds: reader.expectedSeconds,
        last_message_at: wireTimeOrNull(reader.lastMessageAt),
        last_used_at: wireTimeOrNull(reader.lastUsedAt),
        ...reader.counters,
        ...reader.flaws,
        clock: reader.clock,
      }));
      return { json: rows, text: rows.length === 0 ? 'No readers.' : asTable(rows) };
    });
}

function addReaderAntennas(program: Command): void {
  addCommand(program, 'reader', 'antennas')
    .description(
      "List a reader's antennas, and those that its messages name and nobody has registered: their reads move nothing.",
    )
    .requiredOption('--reader <id>', 'which reader', id)
    .addHelpText(
      'after',
      `
JSON: {antennas, unplaced}. Antennas: {port, name, location_external_key, min_rssi, enabled, offset_db, height_m}. Unplaced:
{name, reads, last_read_at}; the name is the port's digits where a message gives a port, and empty where it names no antenna of
several.

Example:
  ${TAGTRAIL} reader antennas --reader 1`,
    )
    .prints(async (options: { reader: number }) => {
      const { antennas, unplaced } = await withConnections(({ db }) => findAntennas(db, options.reader));
      const registered = antennas.map(antennaRow);
      const lines = [
        ...registered.map((antenna) => `${sayAntenna(antenna)}`),
        ...unplaced.map(
          ({ name, reads, last_read_at: at }) =>
            `${name === '' ? 'antenna not named' : forTerminal(name)}: not registered, ${reads} reads, the last at ${at}`,
        ),
      ];
      return { json: { antennas: registered, unplaced }, text: lines.join('\n') || 'No antennas.' };
    });
}

const COUNTERS = [
  'messages',
  'messages_rejected',
  'reads',
  'recorded',
  'duplicates',
  'unknown',
  'unplaced',
  'rejected',
  'ignored',
  'throttled_ms',
  'rssi_unusable',
  'time_unreadable',
  'clock_unset',
  'near_misses',
  'readings_unusable',
  'pushes_refused',
] as const;

type Row = Record<(typeof COUNTERS)[number], number> & {
  id: number;
  name: string;
  topic: string;
  format: string;
  antennas: ReturnType<typeof antennaRow>[];
  state: string;
  last_message_at: string | null;
  last_used_at: string | null;
  clock: ReaderClock | null;
  clock_is_unset: boolean;
};

function asTable(rows: readonly Row[]): string {
  return listTable(
    ['id', 'name', 'topic', 'format', 'state', 'last message', 'last used', 'clock', 'antennas', ...COUNTERS],
    rows.map((row) => [
      String(row.id),
      row.name,
      row.topic,
      row.format,
      row.state,
      row.last_message_at ?? '-',
      row.last_used_at ?? '-',
      row.clock_is_unset ? 'NOT SET' : sayClock(row.clock),
      row.antennas.map(sayAntenna).join(' '),
      ...COUNTERS.map((counter) => String(row[counter])),
    ]),
  ).join('\n');
}

/** `10803 s behind (within 2 s): WRONG`. */
function sayClock(clock: ReaderClock | null): string {
  if (clock === null) {
    return '-';
  }
  const { behind_seconds: behind, spread_seconds: spread, wrong, doubtful } = clock;
  const said = `${Math.abs(behind)} s ${behind < 0 ? 'ahead' : 'behind'} (within ${spread} s)`;
  return wrong ? `${said}: WRONG` : doubtful ? `${said}: DOUBTFUL` : said;
}

/** Numbers below 0 are ours: a device knows its port, or a name. */
function antennaRow({ port, device_port: devicePort, ...antenna }: ListedAntenna) {
  return { port: portOf({ number: port, devicePort }), ...antenna };
}

/** `2=DOCK-2(from -65 dBm,3 dB off,2.4 m high,off)`. */
function sayAntenna({
  port,
  name,
  location_external_key: key,
  ...antenna
}: ReturnType<typeof antennaRow>): string {
  const { min_rssi: minRssi, enabled, offset_db: offset, height_m: height } = antenna;
  const notes = [
    ...(minRssi === null ? [] : [`from ${minRssi} dBm`]),
    ...(offset === 0 ? [] : [`${offset} dB off`]),
    ...(height === 1 ? [] : [`${height} m high`]),
    ...(enabled ? [] : ['off']),
  ];
  return `${[port, name].filter((each) => each !== null).join('/')}=${key ?? 'nowhere'}${notes.length === 0 ? '' : `(${notes.join(',')})`}`;
}

const EXPECT_HELP =
  'how long it may send nothing before it is silent, such as 60s, 5m or 1h; or learned, from its messages';

/** Seconds, or `learned`. */
function expectation(text: string): number | 'learned' {
  if (text === 'learned') {
    return text;
  }
  const seconds = secondsIn(text);
  if (!(seconds >= EXPECTED.least && seconds <= EXPECTED.most)) {
    throw new InvalidArgumentError(
      'It must be learned, or a duration from 15s to 1d, such as 60s, 5m or 1h.',
    );
  }
  return seconds;
}

/** Null for what is learned. */
function secondsOf(expected: number | 'learned'): number | null {
  return expected === 'learned' ? null : expected;
}

function sayExpectation(seconds: number | null): string {
  return seconds === null ? 'learned' : `${seconds}s`;
}

function readerRow(reader: StoredReader) {
  return { id: reader.id, ...readerFields(reader), mqtt_username: reader.mqttUsername };
}

/** Resolves when the reader's messages are recorded from now on; or prints that they may not be. */
async function awaitReader(db: Connection, topic: string): Promise<void> {
  await heardEverywhere();
  if (!(await awaitSubscribed((look) => look(db), topic))) {
    running().streams.stderr.write(
      `Ingestion has not subscribed to ${forTerminal(topic)} at its broker yet; messages before that are lost. ` +
        `Its log says whether the broker refuses the topic; ${TAGTRAIL} doctor checks the rest\n`,
    );
  }
}
