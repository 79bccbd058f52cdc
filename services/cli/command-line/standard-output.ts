import { AppError, messageOf } from '../../../base/errors.ts';

export class ReaderGone extends Error {}

let fault: Error | null = null;

/** Makes a failed write end the command in order, not at some arbitrary point. */
export function watchOutput(): void {
  process.stdout.on('error', (error) => {
    fault ??= outputFault(error);
  });
}

/** Waits for slow readers (backpressure). @throws AppError `unavailable` or ReaderGone if it cannot be written. */
export function writeToOutput(content: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(content, (error) => (error ? reject(outputFault(error)) : resolve()));
  });
}

/** Resolves when everything printed has been read. @throws as {@link writeToOutput}. */
export async function outputTaken(): Promise<void> {
  if (fault === null) {
    await writeToOutput('');
  }
  if (fault !== null) {
    throw fault;
  }
}

function outputFault(error: NodeJS.ErrnoException): Error {
  return error.code === 'EPIPE'
    ? new ReaderGone(error.message)
    : new AppError('unavailable', `Standard output cannot be written: ${messageOf(error)}`, { cause: error });
}
