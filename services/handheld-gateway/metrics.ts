import { Counter, Gauge, type Registry } from 'prom-client';
import type { DatabaseClock } from '../../domain/tracking/database-clock.ts';
import type { Retracted } from '../../domain/tracking/retractions/retraction.ts';
import { type Recorded, STATUSES } from './recording/record-submission.ts';
import type { RecordedSweep } from './recording/take-sweep.ts';

export function countSubmissions(registry: Registry): (recorded: Recorded) => void {
  const submissions = new Counter({
    name: 'tagtrail_handheld_submissions_total',
    help: 'Submissions answered.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  const scans = new Counter({
    name: 'tagtrail_handheld_scans_total',
    help: 'Scans of handhelds, by outcome.',
    labelNames: ['status'] as const,
    registers: [registry],
  });
  return ({ view, isRepeat }) => {
    submissions.inc({ outcome: isRepeat ? 'repeated' : 'recorded' });
    if (!isRepeat) {
      for (const status of STATUSES) {
        scans.inc({ status }, view.counts[status]);
      }
    }
  };
}

export function countSweeps(registry: Registry): (recorded: RecordedSweep) => void {
  const sweeps = new Counter({
    name: 'tagtrail_handheld_sweeps_total',
    help: 'Sweeps answered.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  return ({ isRepeat }) => sweeps.inc({ outcome: isRepeat ? 'repeated' : 'recorded' });
}

export function countRetractions(registry: Registry): (retracted: Retracted) => void {
  const retractions = new Counter({
    name: 'tagtrail_handheld_retractions_total',
    help: 'Retractions answered.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  return ({ isRepeat }) => retractions.inc({ outcome: isRepeat ? 'repeated' : 'recorded' });
}

export function measureClock(registry: Registry, databaseClock: DatabaseClock): void {
  new Gauge({
    name: 'tagtrail_handheld_clock_ahead_seconds',
    help: "How far this machine's clock is ahead of the database's; negative if behind. Beyond 5 s nothing is recorded.",
    registers: [registry],
    collect() {
      this.set(databaseClock.ahead);
    },
  });
}
