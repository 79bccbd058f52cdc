import { closeSync, existsSync, mkdtempSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/free-port.ts';
import { type Program, run } from '../support/process.ts';

/** A request that a receiver of webhooks got. */
export interface Arrival {
  path: string;
  asset: number;
  position: number;
  /** JSON, in one line. */
  body: string;
}

/** A receiver of webhooks as a process of its own, which can be killed and started again at the same port. */
export class ReceiverProgram {
  readonly port: number;
  kills = 0;
  readonly #folder = mkdtempSync(join(tmpdir(), 'tagtrail-receiver-'));
  readonly #journal = join(this.#folder, 'journal');
  readonly #arrived: Arrival[] = [];
  #bytesRead = 0;
  #program: Program | null = null;

  private constructor(port: number) {
    this.port = port;
  }

  /** Not started yet. */
  static async prepare(): Promise<ReceiverProgram> {
    return new ReceiverProgram(await freePort());
  }

  async start(): Promise<void> {
    this.#program = run('test/chaos/receiver-process.ts', [String(this.port), this.#journal]);
    await this.#program.printed('listening');
  }

  /** Kills it and starts it again. */
  async kill(): Promise<void> {
    this.kills += 1;
    await this.#end();
    await this.start();
  }

  async remove(): Promise<void> {
    await this.#end();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** What it got, in the order of arrival: the same array, with what was written since it was last asked for. */
  arrived(): readonly Arrival[] {
    const written = existsSync(this.#journal) ? statSync(this.#journal).size : 0;
    const bytes = Buffer.alloc(written - this.#bytesRead);
    if (bytes.length > 0) {
      const file = openSync(this.#journal, 'r');
      readSync(file, bytes, 0, bytes.length, this.#bytesRead);
      closeSync(file);
    }
    // Whole lines only: one may be half written.
    const whole = bytes.lastIndexOf('\n') + 1;
    this.#bytesRead += whole;
    for (const line of bytes.toString('utf8', 0, whole).split('\n').slice(0, -1)) {
      const [path = '', asset, position, ...body] = line.split(' ');
      this.#arrived.push({ path, asset: Number(asset), position: Number(position), body: body.join(' ') });
    }
    return this.#arrived;
  }

  async #end(): Promise<void> {
    this.#program?.child.kill('SIGKILL');
    await this.#program?.ended;
  }
}
