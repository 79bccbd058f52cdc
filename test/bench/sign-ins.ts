import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { newKey } from '../../domain/administration/api-keys/key-format.ts';
import { show, spreadOf } from '../support/statistics.ts';
import type { BenchOptions } from './options.ts';
import { startServer } from './processes.ts';
import { apiEnvironment } from './requests.ts';
import { fill } from './rows/seed.ts';

const SENT = 1_000_000;

/** Requests with keys that have the form of one, which nobody has. */
function unknownKeys(): string {
  let text = '';
  while (text.length < SENT) {
    const key = `tt_${newKey().id}_${randomBytes(32).toString('base64url')}`;
    text += `GET /api/v1/orgs/me HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  }
  return text;
}

/** What comes back, in bytes, until the connection is closed. */
function answered(url: string, text: string): Promise<number> {
  return new Promise((resolve) => {
    let bytes = 0;
    connect(Number(new URL(url).port), '127.0.0.1')
      .on('data', (read) => {
        bytes += read.length;
      })
      .on('error', () => {})
      .once('close', () => resolve(bytes))
      .write(text);
  });
}

/** A megabyte of unknown keys in one go: what an address is answered within its failures of a minute, and beyond them. */
export async function benchSignIns(serverUrl: string, options: BenchOptions): Promise<void> {
  const filled = await fill(serverUrl, { assets: 1, scans: 0 });
  const within: number[] = [];
  const beyond: number[] = [];
  for (let round = 0; round < options.repetitions; round++) {
    const server = await startServer('servers/full.ts', apiEnvironment(filled));
    within.push(await answered(server.url, unknownKeys()));
    beyond.push(await answered(server.url, unknownKeys()));
    await server.stop();
  }
  await filled.drop();
  console.log(`\nBytes answered to ${SENT} of unknown keys`);
  console.log(`  at first ${show(spreadOf(within), 0)}   sent again at once ${show(spreadOf(beyond), 0)}`);
}
