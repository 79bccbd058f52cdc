import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { CommandBlock } from './command-blocks.ts';

/** What a newcomer fills in where a document has `NAME=...`: the last of these that was shown. */
const SHOWN: Record<string, RegExp> = {
  KEY: /\b(tt_\w{26}_[\w-]{43})/g,
  TOKEN: /\b(th_\d+_[\w-]{43})/g,
  CONSUMER: /^Consumer (\d+):/gm,
  READER: /^Reader (\d+):/gm,
  RULE: /^Rule (\w{26}) /gm,
  PASSWORD: /^MQTT password {3}(\S+)/gm,
  ID: /\{"data":\{"id":(\d+)/g,
  TAG: /\{"data":\{"id":(\d+)/g,
};

/** Somebody who types the commands of one document, block by block, into one shell. */
export class ReaderOfDocuments {
  #shell: ChildProcess;
  #said = '';
  #shown: string;
  #ended: Promise<unknown>;

  /** @param shown what was on the screen before. */
  constructor(folder: string, environment: NodeJS.ProcessEnv, shown: string) {
    this.#shell = spawn('bash', ['--noprofile', '--norc', '-s'], {
      cwd: folder,
      env: environment,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    this.#shown = shown;
    this.#shell.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#said += text;
    });
    this.#ended = once(this.#shell, 'close');
    // A shell that ended says so by 'close'.
    this.#shell.stdin?.on('error', () => {});
    this.#shell.stdin?.write('exec 2>&1; set -eo pipefail; strict=$CURL_HOME\n');
  }

  /** @returns what was shown. @throws with that, if a command fails. */
  async type(block: CommandBlock): Promise<string> {
    let shown = '';
    for (const part of partsOf(block.commands)) {
      const said = await this.#run(this.#filledIn(part), block);
      shown += said;
      this.#shown += said;
    }
    return shown;
  }

  async leave(): Promise<void> {
    this.#shell.stdin?.end();
    await this.#ended;
  }

  async #run(commands: string, block: CommandBlock): Promise<string> {
    this.#said = '';
    const isRefused = block.refusal !== null;
    this.#shell.stdin?.write(`${isRefused ? LENIENT : STRICT}\n${commands}\necho; echo ${END}\n`);
    const patience = new AbortController();
    const fault = Promise.race([
      this.#ended.then(() => 'failed'),
      pause(PATIENCE, 'is not over', { signal: patience.signal }).catch(() => null),
    ]);
    let isOver: string | null = null;
    fault.then((how) => {
      isOver = how;
    });
    while (!this.#said.includes(`\n${END}\n`)) {
      if (isOver !== null) {
        throw new Error(`${block.place} ${isOver}:\n${commands}\n${this.#said}`);
      }
      await Promise.race([this.#shell.stdout && once(this.#shell.stdout, 'data'), fault]);
    }
    patience.abort();
    return this.#said.replace(`\n${END}\n`, '\n');
  }

  #filledIn(commands: string): string {
    return commands.replace(/\b([A-Z]+)=(?:t[th]_)?\.\.\./g, (blank, name: string) => {
      const pattern = SHOWN[name];
      const value = pattern === undefined ? undefined : [...this.#shown.matchAll(pattern)].at(-1)?.[1];
      if (value === undefined) {
        throw new Error(`Nothing was shown that ${blank} could be filled in with:\n${this.#shown}`);
      }
      return `${name}='${value}'`;
    });
  }
}

const END = 'typed-to-the-end';

/** Milliseconds that a block may take. It is told what was said until then, which a timeout of the whole test would not. */
const PATIENCE = 60_000;

/** Whether `curl` fails when the API refuses. */
const STRICT = 'export CURL_HOME=$strict';
const LENIENT = 'export CURL_HOME=$HOME';

/** What is filled in was shown by the commands before it, so those come first. */
function partsOf(commands: string): string[] {
  return commands.split(/^(?=[A-Z]+=(?:t[th]_)?\.\.\.)/m).filter((part) => part.trim() !== '');
}
