import { AppError, messageOf } from '../../../base/errors.ts';

/** Whoever reads standard output has had enough, as `head` has. */
export class ReaderGone extends Error {}

let fault: Error | null = null;

/** Has what cannot be written end the command in order, and not wherever it is. */
export function watchOutput(): void {
  process.stdout.on('error', (error) => {
    fault ??= outputFault(error);
  });
}

/** Waits while whoever reads is slower. @throws AppError `unavailable` or ReaderGone if it cannot be written. */
export function writeToOutput(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(outputFault(error)) : resolve()));
  });
}

/** Resolves when all that was printed has been taken. @throws as {@link writeToOutput} if it was not. */
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
