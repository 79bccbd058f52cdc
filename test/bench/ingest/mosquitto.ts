import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';

export interface Mosquitto {
  port: number;
  pid: number;
  stop(): Promise<void>;
}

/**
 * The settings that matter to ingestion. Mosquitto's own limits are a queue of 1,000 messages for a client that is
 * away or slow, beyond which it drops messages that readers believe delivered, and 20 messages under way to a client,
 * which at one read a message would be all that a commit holds.
 */
const SETTINGS = [
  'allow_anonymous true',
  'max_queued_messages 1000000',
  'max_inflight_messages 4000',
  'set_tcp_nodelay true',
];

/** @throws if there is no `mosquitto` on this machine. */
export async function startMosquitto(): Promise<Mosquitto> {
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-mosquitto-'));
  const port = await freePort();
  const file = join(folder, 'mosquitto.conf');
  writeFileSync(file, [`listener ${port} 127.0.0.1`, ...SETTINGS, ''].join('\n'));
  const child = spawn('mosquitto', ['-c', file], {
    env: { ...process.env, PATH: `${process.env['PATH']}:/usr/sbin:/usr/local/sbin` },
    stdio: 'ignore',
  });
  const ended = once(child, 'exit');
  ended.catch(() => {});
  await Promise.race([
    listening(port),
    ended.then(() => {
      throw new Error('mosquitto ended at its start');
    }),
  ]);
  return {
    port,
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function listening(port: number): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 20));
    } finally {
      socket.destroy();
    }
  }
}
