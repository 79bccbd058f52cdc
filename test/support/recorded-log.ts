import { Writable } from 'node:stream';
import type { Logger } from 'pino';
import { createLog } from '../../platform/runtime/log.ts';

export type LogLine = Record<string, unknown> & { level: number; msg: string };

/** A log as processes have it, at the lowest level unless another is given, whose lines are kept. */
export function recordedLog(level = 'trace'): { log: Logger; lines: LogLine[]; text: () => string } {
  const texts: string[] = [];
  const lines: LogLine[] = [];
  const sink = new Writable({
    write: (chunk, _encoding, done) => {
      texts.push(String(chunk));
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  return { log: createLog('test', level, sink), lines, text: () => texts.join('') };
}
