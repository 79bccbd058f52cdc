import { Counter, type Registry } from 'prom-client';
import type { Recorded } from './recording/record-submission.ts';
import { STATUSES } from './recording/result.ts';

/** Counts submissions, and their scans by result; those of a repeated submission once. */
export function countSubmissions(registry: Registry): (recorded: Recorded) => void {
  const submissions = new Counter({
    name: 'tagtrail_handheld_submissions_total',
    help: 'Submissions answered.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  });
  const scans = new Counter({
    name: 'tagtrail_handheld_scans_total',
    help: 'Scans of handhelds, by what became of them.',
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
