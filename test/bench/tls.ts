import { once } from 'node:events';
import * as http from 'node:http';
import * as https from 'node:https';
import { text } from 'node:stream/consumers';
import mqtt from 'mqtt';
import pg from 'pg';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';
import { BROKER_TLS, certificate } from '../support/certificates.ts';
import { processorTime } from '../support/processor-time.ts';
import { show, spreadOf } from '../support/statistics.ts';
import { callFor, spreadId } from './call-for.ts';
import { interleaved } from './interleaved.ts';
import type { BenchOptions } from './options.ts';
import { answerOf, forkFile } from './processes.ts';
import { apiEnvironment } from './requests.ts';
import { type Filled, fill } from './rows/seed.ts';

const ASSETS = 1_000;
const CALLERS = 4;
const READER = 'portal';
/** Nothing is resumed: what a program pays that connects for the first time. */
const TLS = { ca: certificate('ca.crt'), maxCachedSessions: 0 };

interface Site {
  ask(isKept: boolean, call: number): Promise<void>;
  publish(reads: number, call: number): Promise<unknown>;
  pid: number;
  close(): Promise<void>;
}

/** What TLS by `npm start` costs its process: requests on open and on new connections, and messages. */
export async function benchTls(serverUrl: string, options: BenchOptions): Promise<void> {
  const sites = {
    plain: await openSite(serverUrl, ASSETS, {}),
    // A database of its own is named by its size.
    TLS: await openSite(serverUrl, ASSETS + 1, BROKER_TLS),
  };
  const kinds: Record<string, (site: Site) => (call: number) => Promise<unknown>> = {
    'look-up on an open connection':
      ({ ask }) =>
      (call) =>
        ask(true, call),
    'look-up on a new connection':
      ({ ask }) =>
      (call) =>
        ask(false, call),
    'message of 1 read':
      ({ publish }) =>
      (call) =>
        publish(1, call),
    'message of 50 reads':
      ({ publish }) =>
      (call) =>
        publish(50, call),
  };
  const measurements = Object.entries(kinds).flatMap(([kind, of]) =>
    Object.entries(sites).map(([way, site]): [string, () => Promise<number>] => [
      `${kind}, ${way}`,
      async () => {
        const before = processorTime([site.pid]);
        const { calls } = await callFor(options.seconds, CALLERS, of(site));
        return ((processorTime([site.pid]) - before) * 1e6) / calls;
      },
    ]),
  );
  const results = await interleaved(options.repetitions, Object.fromEntries(measurements));
  console.log(`\nWith TLS and without, us of processor time of npm start, ${CALLERS} at once`);
  for (const [label, costs] of Object.entries(results)) {
    console.log(`  ${label.padEnd(38)} ${show(spreadOf(costs), 0)}`);
  }
  for (const site of Object.values(sites)) {
    await site.close();
  }
}

async function openSite(serverUrl: string, assets: number, tls: NodeJS.ProcessEnv): Promise<Site> {
  const filled = await fill(serverUrl, { assets, scans: 0 });
  await addReader(filled);
  const child = forkFile('servers/everything.ts', { ...apiEnvironment(filled), ...tls });
  const { url, mqttUrl } = (await answerOf(child)) as { url: string; mqttUrl: string };
  const { Agent, get } = url.startsWith('https:') ? https : http;
  const agents = [false, true].map((keepAlive) => new Agent({ ...TLS, keepAlive, maxSockets: CALLERS }));
  const reader = await mqtt.connectAsync(mqttUrl, { username: READER, password: READER, ca: TLS.ca });
  return {
    pid: child.pid ?? 0,
    ask: async (isKept, call) => {
      const request = get(`${url}/api/v1/assets/${spreadId(call, assets)}`, {
        agent: agents[Number(isKept)],
        headers: { authorization: `Bearer ${filled.keys[call % filled.keys.length]}` },
      });
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      await text(response);
      if (response.statusCode !== 200) {
        throw new Error(`a look-up was answered ${response.statusCode}`);
      }
    },
    publish: (reads, call) => {
      const all = Array.from({ length: reads }, (_, at) => ({
        ...{ value: `E280${String(spreadId(call * reads + at, assets)).padStart(20, '0')}`, antenna: 1 },
      }));
      return reader.publishAsync(READER, JSON.stringify(all), { qos: 1 });
    },
    close: async () => {
      await reader.endAsync();
      for (const agent of agents) {
        agent.destroy();
      }
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
      await filled.drop();
    },
  };
}

/** With one antenna, at the first location: nothing moves after the first round. */
async function addReader({ url, orgId }: Filled): Promise<void> {
  const client = new pg.Client(connectionConfig(url));
  await client.connect();
  await client.query(
    `with reader as (
       insert into readers (org_id, name, topic, format, mqtt_username, mqtt_password_sha256)
       values ($1, $2, $2, 'tagtrail', $2, sha256(convert_to($2, 'UTF8'))) returning id
     )
     insert into antennas (org_id, reader_id, port, location_id)
     select $1, reader.id, 1, (select min(id) from locations where org_id = $1) from reader`,
    [orgId, READER],
  );
  await client.end();
}
