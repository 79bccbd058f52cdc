import type { Registry } from 'prom-client';
import type { Intake } from '../intake/intake.ts';
import { measureFigures } from './measure-figures.ts';

export function measureSlow(registry: Registry, intake: Pick<Intake, 'slow'>): void {
  measureFigures(registry, () => intake, {
    gauges: [
      [
        'tagtrail_ingest_slow_messages',
        'Messages not recorded within the time limit, which wait unacknowledged by themselves.',
        'slow',
      ],
    ],
    counters: [],
  });
}
