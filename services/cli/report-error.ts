import { CommanderError } from 'commander';
import { AppError, messageOf } from '../shared/errors.ts';
import { FileFault } from './file-fault.ts';

/** The exit status of what failed, and of what was not used rightly. */
export const FAILED = 1;
export const WRONG_USAGE = 2;

/** The exit status of a command that threw. */
export function statusOf(error: unknown): number {
  if (error instanceof CommanderError) {
    return error.exitCode === 0 ? 0 : WRONG_USAGE;
  }
  const isUsage =
    error instanceof AppError && error.code === 'invalid_input' && !(error instanceof FileFault);
  return isUsage ? WRONG_USAGE : FAILED;
}

/** What a person is told of an error. A fault nobody foresaw comes with where it happened. */
export function textOfError(error: unknown): string {
  if (error instanceof AppError || !(error instanceof Error)) {
    return messageOf(error);
  }
  return error.stack ?? error.message;
}

/** What a program is told of an error, with `--json`: one document on standard error. */
export function jsonOfError(error: unknown): object {
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
