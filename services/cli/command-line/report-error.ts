import { CommanderError } from 'commander';
import { AppError, IdsUsedUp, messageOf } from '../../../base/errors.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import { isUsedUp } from '../../../db/timescale/connections/sql-state.ts';
import { FileFault } from '../files/read-file.ts';
import type { Running } from '../running/running.ts';
import { ReaderGone } from '../running/standard-output.ts';
import { linesForTerminal } from './for-terminal.ts';

export const FAILED = 1;
const WRONG_USAGE = 2;
/** A shell's status for a program ended by SIGPIPE. */
const READER_GONE = 141;

export function statusOf(error: unknown): number {
  if (error instanceof CommanderError) {
    return WRONG_USAGE;
  }
  if (error instanceof ReaderGone) {
    return READER_GONE;
  }
  const isUsage =
    error instanceof AppError && error.code === 'invalid_input' && !(error instanceof FileFault);
  return isUsage ? WRONG_USAGE : FAILED;
}

/** On standard error; with --json as one document. The parser has reported wrong usage itself. */
export function reportError(error: unknown, { isJson, streams }: Pick<Running, 'isJson' | 'streams'>): void {
  if (error instanceof ReaderGone) {
    return;
  }
  if (isJson) {
    streams.stderr.write(`${JSON.stringify(jsonOfError(error))}\n`);
  } else if (!(error instanceof CommanderError)) {
    streams.stderr.write(`${linesForTerminal(textOfError(error))}\n`);
  }
}

/** Unforeseen faults include their stack. */
function textOfError(given: unknown): string {
  const error = explained(given);
  if (error instanceof AppError || !(error instanceof Error)) {
    return messageOf(error);
  }
  return error.stack ?? error.message;
}

function jsonOfError(given: unknown): object {
  const error = explained(given);
  const message = messageOf(error).replace(/^error: /, '');
  if (error instanceof CommanderError) {
    return { error: { code: 'wrong_usage', message } };
  }
  if (error instanceof FileFault && error.issues.length > 0) {
    const { issues, leftOut } = error;
    return { error: { code: error.code, message, issues, issues_left_out: leftOut } };
  }
  return { error: { code: error instanceof AppError ? error.code : 'internal_error', message } };
}

/** Names an exhausted sequence, since an operator can fix it. */
function explained(error: unknown): unknown {
  const cause = error instanceof IdsUsedUp ? error.cause : error;
  return isUsedUp(cause)
    ? new AppError(
        'unavailable',
        `No ids are left for new rows of this kind; nothing was changed: ${messageOf(cause)}. Find out who created so ` +
          `much, and move to a new database; ${TAGTRAIL} doctor shows what else is used up`,
        { cause },
      )
    : error;
}
