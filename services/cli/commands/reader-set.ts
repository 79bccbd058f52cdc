import type { Command } from 'commander';
import { AppError } from '../../../base/errors.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { type ReaderChange, setReader } from '../../../domain/administration/readers/set-reader.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { IDENTITIES, type Identity } from '../../../domain/formats/mapping/language/definition.ts';
import { addCommand, id, oneOf, printResult } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { awaitReader } from '../connections/await-reader.ts';
import { withConnections } from '../connections/database.ts';
import { EXPECT_HELP, expectation, sayExpectation, secondsOf } from '../parts/expectation.ts';
import { publishedAt } from '../parts/published-at.ts';
import { readerRow } from '../parts/reader-row.ts';
import { running } from '../running/running.ts';

interface Options {
  reader: number;
  name?: string;
  topic?: string;
  format?: string;
  time?: 'device' | 'receive' | 'default';
  identity?: Identity | 'default';
  reportUnknown?: 'on' | 'off' | 'default';
  expect?: number | 'learned';
  newPassword?: true;
  json?: boolean;
}

export function addReaderSet(program: Command): void {
  addCommand(program, 'reader', 'set')
    .description(
      'Change the registration of a reader, at once and while it runs. What is left out stays as it is.',
    )
    .requiredOption('--reader <id>', 'which reader', id)
    .option('--name <name>', 'its name, unique in the organization')
    .option('--topic <topic>', 'the topic it publishes to, or a filter with + and #')
    .option('--format <format>', 'what it publishes, by the name of a format')
    .option(
      '--time <policy>',
      "which time counts: device or receive; default for the format's own",
      oneOf('device', 'receive', 'default'),
    )
    .option(
      '--identity <identity>',
      `what names a beacon: ${IDENTITIES.join(', ')}; default for the format's own`,
      oneOf(...IDENTITIES, 'default'),
    )
    .option(
      '--report-unknown <on|off>',
      "whether unknown tags are listed; default for the format's own",
      oneOf('on', 'off', 'default'),
    )
    .option('--expect <duration>', EXPECT_HELP, expectation)
    .option('--new-password', 'make a new MQTT password, shown this once; the old one ends')
    .addHelpText(
      'after',
      `\nExamples:\n  ${TAGTRAIL} reader set --reader 1 --topic site/dock-3 --time receive` +
        `\n  ${TAGTRAIL} reader set --reader 1 --expect 60s` +
        `\n  ${TAGTRAIL} reader set --reader 1 --new-password`,
    )
    .action(async (options: Options) => {
      const change = changeOf(options);
      if (Object.keys(change).length === 0) {
        throw new AppError(
          'invalid_input',
          'Nothing to change: give --name, --topic, --format, --time, --identity, --report-unknown, --expect or --new-password',
        );
      }
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
        printResult(
          {
            json: {
              ...readerRow(reader),
              ...(mqttPassword === null ? {} : { mqtt_password: mqttPassword }),
            },
            text:
              `Reader ${reader.id}: ${forTerminal(reader.name)}, on topic ${forTerminal(reader.topic)}, format ${reader.format}, ` +
              `time ${reader.time ?? 'default'}, identity ${reader.identity ?? 'default'}, ` +
              `report-unknown ${reader.reportUnknown ?? 'default'}, expect ${sayExpectation(reader.expectSeconds)}` +
              (mqttPassword === null
                ? ''
                : `\nMQTT user name  ${reader.mqttUsername}\nMQTT password   ${mqttPassword}  (shown only now)`),
          },
          options,
        );
        // After printing the password, the only copy.
        if (isElsewhere) {
          await awaitReader(db, reader.topic);
        }
      });
    });
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
}: Options): ReaderChange {
  return {
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
}
