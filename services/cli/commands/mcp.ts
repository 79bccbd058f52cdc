import { createInterface } from 'node:readline';
import { AppError, messageOf } from '../../../base/errors.ts';
import { addTopCommand, type Command, examples } from '../command-line/command-line.ts';
import { running } from '../running/running.ts';

export function addMcp(program: Command): void {
  addTopCommand(program, 'mcp')
    .summary('let a language model ask, by standard input and output')
    .description(
      'Pass messages of the Model Context Protocol between standard input and output and an API, with the key in TAGTRAIL_KEY.',
    )
    .option('--url <url>', 'where the API is', 'http://127.0.0.1:8080')
    .addHelpText(...examples('mcp --url https://tagtrail.example.com'))
    .action(async ({ url }: { url: string }) => {
      const { env, streams } = running();
      const key = env['TAGTRAIL_KEY'];
      if (!URL.canParse(url) || key === undefined) {
        throw new AppError(
          'invalid_input',
          'Set TAGTRAIL_KEY to an API key, and --url to the address of the API',
        );
      }
      for await (const line of createInterface({ input: streams.stdin })) {
        const answer = line.trim() === '' ? '' : await passOn(new URL('/mcp', url), key, line);
        if (answer !== '') {
          streams.stdout.write(`${answer}\n`);
        }
      }
    });
}

/** @returns the answer, one line; empty for a notification. */
async function passOn(url: URL, key: string, line: string): Promise<string> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: line,
    });
    const text = await response.text();
    const { error } = text === '' ? { error: undefined } : JSON.parse(text);
    return typeof error?.detail === 'string' ? failure(line, error.detail) : text;
  } catch (error) {
    return failure(line, `The API at ${url.origin} cannot be reached: ${messageOf(error)}`);
  }
}

const FAILED = -32_000;

/** The answer to a request that failed; notifications get none. */
function failure(line: string, message: string): string {
  let id: unknown = null;
  try {
    ({ id } = JSON.parse(line));
  } catch {
    // Not JSON, so whose answer it is stays null.
  }
  return id === undefined ? '' : JSON.stringify({ jsonrpc: '2.0', id, error: { code: FAILED, message } });
}
