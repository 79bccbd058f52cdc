import { AppError } from '../../../base/errors.ts';
import type { Piece } from '../../../domain/reports/exports/piece.ts';
import { withInterruption } from '../../../platform/runtime/interruption.ts';
import { replaceFile } from '../files/replace-file.ts';
import { showProgress } from '../running/progress.ts';
import { writeToOutput } from '../running/standard-output.ts';

type Produce = (write: (piece: Piece) => Promise<void>, signal: AbortSignal) => Promise<void>;

interface Target {
  /** What each row is, in the plural. */
  noun: string;
  file: string | undefined;
  json: boolean | undefined;
}

/**
 * Writes an export to a file, which is complete or as it was, or to standard output: with `json` as the text "csv" of a
 * document then. Ctrl-C ends it in order; progress is shown on a terminal.
 */
export function writeExport({ noun, file, json }: Target, produce: Produce): Promise<void> {
  return file === undefined
    ? toOutput(noun, json === true, produce)
    : toFile(noun, file, json === true, produce);
}

async function toOutput(noun: string, isJson: boolean, produce: Produce): Promise<void> {
  const encode = (content: string | Uint8Array) =>
    isJson ? JSON.stringify(String(content)).slice(1, -1) : content;
  let count = 0;
  await untilInterrupted('what was written is not complete', async (signal) => {
    await writeToOutput(isJson ? '{"csv":"' : '');
    await produce(async ({ content, rows }) => {
      signal.throwIfAborted();
      await writeToOutput(encode(content));
      count += rows;
    }, signal);
  });
  await writeToOutput(isJson ? `","${noun}":${count}}\n` : '');
}

async function toFile(noun: string, path: string, isJson: boolean, produce: Produce): Promise<void> {
  const progress = showProgress();
  let count = 0;
  progress.show(`0 ${noun}`);
  const write = (signal: AbortSignal) =>
    replaceFile(path, (file) =>
      produce(async ({ content, rows, total }) => {
        signal.throwIfAborted();
        // Unlike `write`, it writes all of it, or fails: a disk may take a part before it is full.
        await file.writeFile(content);
        count += rows;
        progress.show(total === undefined ? `${count} ${noun}` : `${count} of ${total} ${noun}`);
      }, signal),
    );
  await untilInterrupted(`${path} is as it was`, write).finally(() => progress.end());
  await writeToOutput(
    isJson ? `${JSON.stringify({ file: path, [noun]: count })}\n` : `${count} ${noun} in ${path}\n`,
  );
}

function untilInterrupted(outcome: string, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  return withInterruption((signal) =>
    work(signal).catch((error: unknown) => {
      throw signal.aborted ? new AppError('unavailable', `Interrupted; ${outcome}`) : error;
    }),
  );
}
