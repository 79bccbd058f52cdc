import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import mqtt from 'mqtt';
import { freePort } from './free-port.ts';
import { PROGRAM_ENVIRONMENT, useProgram } from './programs.ts';

/** A real broker that keeps its sessions in a folder of its own; running from before the suite's first test. */
export interface Mosquitto {
  url: string;
  port: number;
  /** For the files that its configuration names. */
  folder: string;
  start(): Promise<void>;
  /** As a machine that loses power: nothing is saved any more. */
  kill(): Promise<void>;
  /** Lets it save its sessions. */
  stop(): Promise<void>;
  /** Leaves its connections open, and answers no more until it is thawed. */
  freeze(): void;
  thaw(): void;
  /** A client; ended after the suite's last test. */
  connect(options?: mqtt.IClientOptions): Promise<mqtt.MqttClient>;
}

/**
 * Where there is no mosquitto, the suite is skipped; not where TEST_REQUIRE_ALL is set.
 *
 * @param configure further lines of its configuration; the listener is the first port of `url`.
 */
export function useMosquitto(configure: (broker: Mosquitto) => string[] = () => []): Mosquitto {
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-mosquitto-'));
  const clients: mqtt.MqttClient[] = [];
  let child: ChildProcess | null = null;
  const end = async (signal: NodeJS.Signals) => {
    const running = child;
    child = null;
    if (running !== null) {
      const exited = once(running, 'exit');
      running.kill(signal);
      await exited;
    }
  };
  const broker: Mosquitto = {
    url: '',
    port: 0,
    folder,
    start: async () => {
      child = spawn('mosquitto', ['-c', join(folder, 'mosquitto.conf')], {
        env: PROGRAM_ENVIRONMENT,
        stdio: 'pipe',
      });
      const said: string[] = [];
      for await (const line of createInterface({ input: child.stderr ?? process.stdin })) {
        said.push(line);
        if (line.includes(' running')) {
          child.stderr?.resume();
          return;
        }
      }
      throw new Error(`mosquitto ended before it was ready:\n${said.join('\n')}`);
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
    freeze: () => child?.kill('SIGSTOP'),
    thaw: () => child?.kill('SIGCONT'),
    connect: async (options) => {
      const client = await mqtt.connectAsync(broker.url, { reconnectPeriod: 0, ...options });
      clients.push(client);
      return client;
    },
  };
  useProgram('mosquitto');
  before(async () => {
    chmodSync(folder, 0o777);
    broker.port = await freePort();
    broker.url = `mqtt://127.0.0.1:${broker.port}`;
    writeFileSync(
      join(folder, 'mosquitto.conf'),
      [...configurationOf(broker), ...configure(broker), ''].join('\n'),
    );
    await broker.start();
  });
  after(async () => {
    await Promise.all(clients.map((client) => client.endAsync(true)));
    await end('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });
  return broker;
}

function configurationOf({ port, folder }: Mosquitto): string[] {
  return [
    'per_listener_settings false',
    'persistence true',
    `persistence_location ${folder}/`,
    'max_queued_messages 0',
    'log_dest stderr',
    'log_type all',
    'allow_anonymous true',
    `listener ${port} 127.0.0.1`,
  ];
}
