import { readFileSync } from 'node:fs';
import { freePort } from '../../support/free-port.ts';
import { type Program, run } from '../../support/process.ts';

/** `npm start`. */
export class Standalone {
  readonly mqttPort: number;
  readonly #program: Program;

  static async start(databaseUrl: string): Promise<Standalone> {
    const mqttPort = await freePort();
    const program = run('services/standalone/main.ts', [], {
      DATABASE_URL: databaseUrl,
      MQTT_PORT: String(mqttPort),
      API_PORT: '0',
      HANDHELD_PORT: '0',
      CONSOLE_PORT: '0',
      READERS_PORT: '0',
    });
    process.once('exit', () => program.child.kill('SIGKILL'));
    await program.printed('Database');
    return new Standalone(mqttPort, program);
  }

  private constructor(mqttPort: number, program: Program) {
    this.mqttPort = mqttPort;
    this.#program = program;
  }

  /** The most memory it ever had, in MiB; only Linux tells. */
  peak(): number {
    const status = readFileSync(`/proc/${this.#program.child.pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024;
  }

  async stop(): Promise<void> {
    this.#program.child.kill('SIGTERM');
    await this.#program.ended;
  }
}
