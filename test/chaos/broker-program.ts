import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from '../support/free-port.ts';
import { PROGRAM_ENVIRONMENT } from '../support/programs.ts';
import type { Broker } from './broker.ts';

/** Mosquitto, saving its sessions every second and at its end, with what it saved before at its next start. */
export class BrokerProgram implements Broker {
  readonly port: number;
  readonly #folder: string;
  #child: ChildProcess | null = null;

  private constructor(port: number, folder: string) {
    this.port = port;
    this.#folder = folder;
  }

  /** Not started yet. */
  static async prepare(): Promise<BrokerProgram> {
    const folder = mkdtempSync(join(tmpdir(), 'tagtrail-chaos-'));
    chmodSync(folder, 0o777);
    const port = await freePort();
    writeFileSync(
      join(folder, 'mosquitto.conf'),
      [...SETTINGS, `listener ${port} 127.0.0.1`, `persistence_location ${folder}/`, ''].join('\n'),
    );
    return new BrokerProgram(port, folder);
  }

  /** @throws if there is no mosquitto. */
  async start(): Promise<void> {
    const child = spawn('mosquitto', ['-c', join(this.#folder, 'mosquitto.conf')], {
      env: PROGRAM_ENVIRONMENT,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    this.#child = child;
    child.once('error', () => {});
    for await (const line of createInterface({ input: child.stderr })) {
      if (line.includes(' running')) {
        child.stderr.resume();
        return;
      }
    }
    throw new Error('mosquitto did not start; is it installed?');
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child !== null && child.pid !== undefined && child.exitCode === null) {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

const SETTINGS = [
  'per_listener_settings false',
  'persistence true',
  'autosave_interval 1',
  'max_queued_messages 0',
  'max_inflight_messages 1000',
  'log_dest stderr',
  'log_type all',
  'allow_anonymous true',
];
