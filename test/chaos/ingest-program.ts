import { setTimeout as pause } from 'node:timers/promises';
import { type Program, run } from '../support/process.ts';

/** Milliseconds. */
const RESTART_AFTER = 100;

/** Ingestion as a process of its own, which can be killed and started again. The database is DATABASE_URL of its environment. */
export class IngestProgram {
  kills = 0;
  readonly #launch: () => Program;
  readonly #ready: string;
  #program: Program | null = null;

  private constructor(launch: () => Program, ready: string) {
    this.#launch = launch;
    this.#ready = ready;
  }

  /** With its own broker at `port`. */
  static embedded(port: number, environment: NodeJS.ProcessEnv): IngestProgram {
    const args = [String(environment['DATABASE_URL']), String(port)];
    return new IngestProgram(() => run('test/chaos/ingest-process.ts', args, environment), 'ready');
  }

  /** With readers that push over HTTP to `port`. */
  static pushed(port: number, environment: NodeJS.ProcessEnv): IngestProgram {
    const args = [String(environment['DATABASE_URL']), '0', String(port)];
    return new IngestProgram(() => run('test/chaos/ingest-process.ts', args, environment), 'ready');
  }

  static subscribed(mqttUrl: string, clientId: string, environment: NodeJS.ProcessEnv): IngestProgram {
    const settings = { MQTT_URL: mqttUrl, MQTT_CLIENT_ID: clientId, INGEST_PORT: '0' };
    return new IngestProgram(
      () => run('services/mqtt-ingest/main.ts', [], { ...environment, ...settings }),
      'Ingestion running',
    );
  }

  get pid(): number {
    return this.#running().child.pid ?? 0;
  }

  /** @throws with what it said if it ends before it is ready. */
  async start(): Promise<void> {
    this.#program = this.#launch();
    await this.#program.printed(this.#ready);
  }

  /** Starts it as often as it takes, as whatever supervises it does: without a database it ends. */
  async startUntilReady(): Promise<void> {
    for (;;) {
      try {
        return await this.start();
      } catch {
        await pause(RESTART_AFTER);
      }
    }
  }

  async kill(): Promise<void> {
    const { child, ended } = this.#running();
    this.kills += 1;
    child.kill('SIGKILL');
    await ended;
  }

  /** In order. @throws with what it said if it did not end well, or had ended before. */
  async stop(): Promise<void> {
    const { child, ended, stderr } = this.#running();
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
    }
    const status = await ended;
    if (status !== 0 && status !== 'SIGTERM') {
      throw new Error(`ingestion ended with ${status}: ${stderr()}`);
    }
  }

  /** Resolves when it has said `text`, at any time since its last start. */
  async said(text: string): Promise<void> {
    await this.#running().printed(text);
  }

  /** One of the figures it publishes about itself. */
  figure(name: string): Promise<number> {
    return this.#metric(`tagtrail_ingest_${name}`);
  }

  async #metric(name: string): Promise<number> {
    const address = /"address":"([^"]+)"/.exec(this.#running().stdout())?.[1];
    const text = await (await fetch(`${address}/metrics`)).text();
    return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1]);
  }

  #running(): Program {
    if (this.#program === null) {
      throw new Error('ingestion was not started');
    }
    return this.#program;
  }
}
