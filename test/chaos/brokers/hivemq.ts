import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../support/free-port.ts';
import { ListeningBroker } from './listening-broker.ts';

const PROGRAM = fileURLToPath(new URL('Hivemq.java', import.meta.url));
const JARS = 'HIVEMQ_JARS';

/**
 * HiveMQ Community Edition, not started yet.
 *
 * @throws with how to get it if it is not there.
 */
export async function prepareHivemq(): Promise<ListeningBroker> {
  const { [JARS]: jars } = process.env;
  if (jars === undefined) {
    throw new Error(`${JARS} names no folder. Java 17 and Maven put HiveMQ into one:
mvn --file test/chaos/brokers/pom.xml dependency:copy-dependencies -DoutputDirectory=/tmp/hivemq
${JARS}=/tmp/hivemq npm run chaos -- --scenario hivemq`);
  }
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-hivemq-'));
  const port = await freePort();
  mkdirSync(join(folder, 'conf'));
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'conf', 'config.xml'), configurationOf(port));
  const classes = join(jars, '*');
  execFileSync('javac', ['-cp', classes, '-d', folder, PROGRAM]);
  const args = ['-Xmx512m', '-XX:TieredStopAtLevel=1', '-cp', `${folder}:${classes}`, 'Hivemq', folder];
  return new ListeningBroker({ program: 'java', args, folder, port });
}

function configurationOf(port: number): string {
  return `<?xml version="1.0"?>
<hivemq>
  <listeners>
    <tcp-listener><port>${port}</port><bind-address>127.0.0.1</bind-address></tcp-listener>
  </listeners>
  <mqtt>
    <queued-messages><max-queue-size>1000000</max-queue-size></queued-messages>
  </mqtt>
  <anonymous-usage-statistics><enabled>false</enabled></anonymous-usage-statistics>
</hivemq>
`;
}
