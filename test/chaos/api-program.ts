import { setTimeout as pause } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';
import { type Program, run } from '../support/process.ts';

/** Milliseconds. */
const RESTART_AFTER = 100;

/** The API as a process of its own, which can be killed and started again at the same port. */
export class ApiProgram {
  readonly url: string;
  kills = 0;
  readonly #launch: () => Program;
  #program: Program | null = null;

  private constructor(port: number, environment: NodeJS.ProcessEnv) {
    this.url = `http://127.0.0.1:${port}`;
    const settings = {
      API_PORT: String(port),
      RATE_LIMIT_PER_MINUTE: '60000',
      RATE_LIMIT_BURST: '60000',
      LOG_LEVEL: 'info',
    };
    this.#launch = () => run('services/api/main.ts', [], { ...environment, ...settings });
  }

  static async prepare(environment: NodeJS.ProcessEnv): Promise<ApiProgram> {
    return new ApiProgram(await freePort(), environment);
  }

  /** Starts it as often as it takes, as whatever supervises it does: without a database it ends. */
  async startUntilReady(): Promise<void> {
    for (;;) {
      this.#program = this.#launch();
      try {
        return await this.#program.printed('API listening');
      } catch {
        await pause(RESTART_AFTER);
      }
    }
  }

  async kill(): Promise<void> {
    this.kills += 1;
    this.#program?.child.kill('SIGKILL');
    await this.#program?.ended;
  }
}
