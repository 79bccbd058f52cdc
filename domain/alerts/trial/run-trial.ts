import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { countSubjects } from './subjects.ts';
import { type TallyBounds, TrialTally } from './tally.ts';
import { trialFields } from './trial-fields.ts';
import { type Trial, trialRule, tryRule } from './try-rule.ts';

export interface TrialOptions {
  bounds: TallyBounds;
  /** Assets, or readers, that are looked at together. */
  batch: number;
  /** Asked after each batch, with how many there have been of how many: false ends the trial. */
  goesOn(looked: number, of: number): boolean | Promise<boolean>;
}

/**
 * Tries a rule, and says what it found.
 *
 * @throws TooMuchWork of a single asset or reader.
 */
export async function runTrial(db: Connection, trial: Trial, { bounds, batch, goesOn }: TrialOptions) {
  const of = await countSubjects(db, trialRule(trial));
  const tally = new TrialTally(trial.window, bounds);
  for await (const tried of tryRule(db, trial, batch)) {
    tally.add(tried);
    if (!(await goesOn(tally.looked, of))) {
      break;
    }
  }
  return trialFields(db, trial, tally, of);
}

export type TrialResult = Awaited<ReturnType<typeof runTrial>>;
