import { AppError, messageOf } from '../../../base/errors.ts';
import { withInterruption } from '../../../platform/runtime/interruption.ts';
import { running } from './running.ts';

export class ReaderGone extends Error {}

/** Makes a failed write end the command cleanly, not at some arbitrary point. */
export function watchOutput(): void {
  const command = running();
  // Never removed: the last write may fail after the command has ended.
  command.streams.stdout.on('error', (error) => {
    command.outputFault ??= outputFault(error);
  });
}

/** Waits for slow readers (backpressure). @throws AppError `unavailable` or ReaderGone if it cannot be written. */
export function writeToOutput(content: string | Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    running().streams.stdout.write(content, (error) => (error ? reject(outputFault(error)) : resolve()));
  });
}

/**
 * Prints the document, whole or not at all: the first interruption lets it end; a second one does not. Resolves when
 * everything printed has been read.
 *
 * @throws as {@link writeToOutput}.
 */
export async function finishOutput(): Promise<void> {
  const command = running();
  const document = command.document ?? '';
  command.document = null;
  if (command.outputFault === null) {
    await (document === '' ? writeToOutput('') : withInterruption(() => writeToOutput(document)));
  }
  if (command.outputFault !== null) {
    throw command.outputFault;
  }
}

function outputFault(error: NodeJS.ErrnoException): Error {
  return error.code === 'EPIPE'
    ? new ReaderGone(error.message)
    : new AppError('unavailable', `Standard output cannot be written: ${messageOf(error)}`, { cause: error });
}
