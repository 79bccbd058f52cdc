import type { Command } from 'commander';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { createReader } from '../../../domain/administration/readers/create-reader.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { IDENTITIES } from '../../../domain/formats/mapping/language/definition.ts';
import type { Policies } from '../../../domain/formats/mapping/policies.ts';
import { addCommand, id, oneOf, printResult } from '../command-line/command-line.ts';
import { awaitReader } from '../connections/await-reader.ts';
import { withConnections } from '../connections/database.ts';
import { EXPECT_HELP, expectation, secondsOf } from '../parts/expectation.ts';
import { publishedAt } from '../parts/published-at.ts';
import { running } from '../running/running.ts';

interface Options extends Partial<Policies> {
  org: number;
  name: string;
  topic: string;
  format: string;
  expect?: number | 'learned';
  json?: boolean;
}

export function addReaderCreate(program: Command): void {
  addCommand(program, 'reader', 'create')
    .description('Register a reader. Its password is shown this once; its antenna 1 exists at once.')
    .requiredOption('--org <id>', 'the organization it belongs to', id)
    .requiredOption('--name <name>', 'its name, unique in the organization')
    .requiredOption('--topic <topic>', 'the topic it publishes to, or a filter with + and #')
    .requiredOption('--format <format>', 'what it publishes, by the name of a format')
    .option('--time <policy>', 'which time counts: device or receive', oneOf('device', 'receive'))
    .option('--identity <identity>', `what names a beacon: ${IDENTITIES.join(', ')}`, oneOf(...IDENTITIES))
    .option('--report-unknown <on|off>', 'whether unknown tags are listed', oneOf('on', 'off'))
    .option('--expect <duration>', EXPECT_HELP, expectation)
    .addHelpText(
      'after',
      `\nExample:\n  ${TAGTRAIL} reader create --org 1 --name 'Dock 2' --topic site/dock-2 --format csl-cs463`,
    )
    .action(async (options: Options) => {
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
            orgId,
            name,
            topic,
            format,
            policies,
            ...(expect === undefined ? {} : { expectSeconds: secondsOf(expect) }),
          },
          configured,
        );
        const { id: readerId, mqttUsername, mqttPassword } = reader;
        printResult(
          {
            json: {
              id: readerId,
              name,
              topic,
              mqtt_username: mqttUsername,
              mqtt_password: mqttPassword,
            },
            text: `Reader ${readerId}: ${name}, on topic ${topic}
MQTT user name  ${mqttUsername}
MQTT password   ${mqttPassword}  (shown only now)
Next: ${TAGTRAIL} antenna set --reader ${readerId} --port 1 --location <external key>`,
          },
          options,
        );
        // After printing the password, the only copy.
        await awaitReader(db, topic);
      });
    });
}
