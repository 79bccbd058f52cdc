import { Counter, type Registry } from 'prom-client';
import type { DatabaseClock } from '../../domain/tracking/database-clock.ts';
import type { Retracted } from '../../domain/tracking/retractions/retraction.ts';
import { measureFigure } from '../../platform/runtime/figures.ts';
import { type Recorded, STATUSES } from './recording/record-submission.ts';
import type { RecordedSweep } from './recording/take-sweep.ts';

export function countSubmissions(registry: Registry): (recorded: Recorded) => void {
  const count = countAnswers(registry, 'tagtrail_handheld_submissions_total', 'Submissions answered.');
  const scans = new Counter({
    name: 'tagtrail_handheld_scans_total',
    help: 'Scans of handhelds, by outcome.',
    labelNames: ['status'] as const,
    registers: [registry],
  });
  return (recorded) => {
    count(recorded);
    if (!recorded.isRepeat) {
      for (const status of STATUSES) {
        scans.inc({ status }, recorded.view.counts[status]);
      }
    }
  };
}

export function countSweeps(registry: Registry): (recorded: RecordedSweep) => void {
  return countAnswers(registry, 'tagtrail_handheld_sweeps_total', 'Sweeps answered.');
}

export function countRetractions(registry: Registry): (retracted: Retracted) => void {
  return countAnswers(registry, 'tagtrail_handheld_retractions_total', 'Retractions answered.');
}

function countAnswers(registry: Registry, name: string, help: string) {
  const answers = new Counter({ name, help, labelNames: ['outcome'] as const, registers: [registry] });
  return ({ isRepeat }: { isRepeat: boolean }) =>
    answers.inc({ outcome: isRepeat ? 'repeated' : 'recorded' });
}

export function measureClock(registry: Registry, databaseClock: DatabaseClock): void {
  const help =
    "How far this machine's clock is ahead of the database's; negative if behind. Beyond 5 s nothing is recorded.";
  measureFigure(registry, 'tagtrail_handheld_clock_ahead_seconds', help, () => databaseClock.ahead);
}
