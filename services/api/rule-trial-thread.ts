import { once } from 'node:events';
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { AppError, DatabaseUnavailable, TooMuchWork } from '../../base/errors.ts';
import { openOrganizationDoor } from '../../db/timescale/connections/organization-door.ts';
import { runTrial } from '../../domain/alerts/trial/run-trial.ts';
import type { RuleTrialMessage, RuleTrialTask, TrialFailure } from './serving/rule-trials.ts';

const { url, readUrl, applicationName, timeout, trial, bounds, batch }: RuleTrialTask = workerData;
const port = parentPort as MessagePort;
const post = (message: RuleTrialMessage) => port.postMessage(message);

const goesOn = async (): Promise<boolean> => {
  const answered = once(port, 'message');
  post({ asks: true });
  return (await answered)[0];
};

async function outcome(): Promise<RuleTrialMessage> {
  const door = openOrganizationDoor(url, { max: 2, applicationName, scanTimeout: timeout, readUrl });
  try {
    await goesOn();
    const list = door.of(trial.orgId).listing({ isBrief: false, signal: undefined });
    return { result: await runTrial(list, trial, { bounds, batch, goesOn }) };
  } catch (error) {
    return { failure: failureOf(error) };
  } finally {
    await door.end();
  }
}

/** Errors lose their class on the way. */
function failureOf(error: unknown): TrialFailure {
  if (error instanceof TooMuchWork) {
    return { code: 'too_much_work', message: error.message, isDatabase: false };
  }
  if (error instanceof AppError) {
    const { code, message } = error;
    return { code, message, isDatabase: error instanceof DatabaseUnavailable };
  }
  throw error;
}

post(await outcome());
