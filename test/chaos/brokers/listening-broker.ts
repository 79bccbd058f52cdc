import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { accepts } from '../../support/accepts.ts';
import { PROGRAM_ENVIRONMENT } from '../../support/programs.ts';
import type { Broker } from '../broker.ts';

export interface BrokerCommand {
  program: string;
  args: readonly string[];
  /** Of its files; removed with it. */
  folder: string;
  /** At which it serves MQTT. */
  port: number;
}

/** Milliseconds between looks whether it accepts connections. */
const LOOK_AGAIN = 50;

/** A broker, or a node of one, that says by accepting connections that it is ready. */
export class ListeningBroker implements Broker {
  readonly port: number;
  readonly #command: BrokerCommand;
  #child: ChildProcess | null = null;

  constructor(command: BrokerCommand) {
    this.#command = command;
    this.port = command.port;
  }

  get isRunning(): boolean {
    return this.#child !== null;
  }

  /** Starts it as often as it takes, as whatever supervises it does. @throws with what it said if it never does. */
  async start(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#startOnce();
      } catch (error) {
        if (attempt === MOST_ATTEMPTS) {
          throw error;
        }
      }
    }
  }

  /** @throws with what it said if it ends before it accepts connections. */
  async #startOnce(): Promise<void> {
    const { program, args, folder } = this.#command;
    const child = spawn(program, args, {
      cwd: folder,
      env: PROGRAM_ENVIRONMENT,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    const hear = (text: string) => {
      said = (said + text).slice(-MOST_SAID);
    };
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
    child.once('error', ({ message }) => hear(message));
    while (!(await accepts(this.port))) {
      if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) {
        throw new Error(`${program} ended before it accepted connections:\n${said}`);
      }
      await pause(LOOK_AGAIN);
    }
    this.#child = child;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child !== null && child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    }
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#command.folder, { recursive: true, force: true });
  }
}

const MOST_SAID = 20_000;
const MOST_ATTEMPTS = 10;
