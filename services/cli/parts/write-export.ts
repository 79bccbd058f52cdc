import { AppError } from '../../../base/errors.ts';
import type { Piece } from '../../../domain/reports/exports/piece.ts';
import { withInterruption } from '../../../platform/runtime/interruption.ts';
import { replaceFile } from '../files/replace-file.ts';
import { withTemporaryFile } from '../files/temporary-file.ts';
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
  if (file !== undefined) {
    return toFile(noun, file, json === true, produce);
  }
  return json === true ? asDocument(noun, produce) : toOutput(produce);
}

async function toOutput(produce: Produce): Promise<void> {
  await untilInterrupted('what was written is not complete', (signal) =>
    produce(({ content }) => {
      signal.throwIfAborted();
      return writeToOutput(content);
    }, signal),
  );
}

/** Nothing is printed before all of it is there: the CSV is kept in a file without a name until then. */
async function asDocument(noun: string, produce: Produce): Promise<void> {
  await withTemporaryFile(async (file) => {
    let count = 0;
    await untilInterrupted('nothing was written', (signal) =>
      produce(async ({ content, rows }) => {
        signal.throwIfAborted();
        await file.writeFile(JSON.stringify(String(content)).slice(1, -1));
        count += rows;
      }, signal),
    );
    // The first interruption lets it end; a second one does not.
    await withInterruption(async () => {
      await writeToOutput('{"csv":"');
      for await (const piece of file.createReadStream({ start: 0, autoClose: false })) {
        await writeToOutput(piece);
      }
      await writeToOutput(`","${noun}":${count}}\n`);
    });
  });
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
