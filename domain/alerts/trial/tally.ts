import { append } from '../../../base/append.ts';
import type { Micros } from '../../../base/instant.ts';
import type { Interval } from '../../presence/intervals.ts';
import type { Stretch } from '../conditions/stretch.ts';
import type { Subject } from './subjects.ts';
import type { Tried } from './try-rule.ts';

/** An alert that a rule would have raised. */
export interface TriedAlert {
  subject: Subject;
  stretch: Stretch;
  /** Within the window. */
  lasting: Micros;
}

/** What a rule would have raised for one asset or reader. */
export interface TriedSubject {
  subject: Subject;
  count: number;
  longest: Micros;
  total: Micros;
}

export interface TallyBounds {
  /** Alerts that are listed, in order of assets or readers. */
  alerts: number;
  /** Assets or readers that are listed, those with most alerts. */
  subjects: number;
}

/** What of a trial is kept, however much it finds. */
export class TrialTally {
  looked = 0;
  count = 0;
  /** Of assets or readers for which anything would have been raised. */
  subjectCount = 0;
  longest: TriedAlert | null = null;
  readonly alerts: TriedAlert[] = [];
  #subjects: TriedSubject[] = [];
  readonly #window: Interval;
  readonly #bounds: TallyBounds;

  constructor(window: Interval, bounds: TallyBounds) {
    this.#window = window;
    this.#bounds = bounds;
  }

  add({ looked, found }: Tried): void {
    this.looked += looked;
    for (const { subject, stretches } of found) {
      const alerts = stretches.map((stretch) => ({ subject, stretch, lasting: this.#lasting(stretch) }));
      this.count += alerts.length;
      this.subjectCount += 1;
      append(this.alerts, alerts.slice(0, Math.max(0, this.#bounds.alerts - this.alerts.length)));
      const longest = alerts.reduce((one, other) => (other.lasting > one.lasting ? other : one));
      if (this.longest === null || longest.lasting > this.longest.lasting) {
        this.longest = longest;
      }
      this.#subjects.push({
        ...{ subject, count: alerts.length, longest: longest.lasting },
        total: alerts.reduce((sum, { lasting }) => sum + lasting, 0),
      });
    }
    if (this.#subjects.length > 2 * this.#bounds.subjects) {
      this.#subjects = this.subjects;
    }
  }

  /** Those with most alerts first. */
  get subjects(): TriedSubject[] {
    const sorted = this.#subjects.toSorted(
      (a, b) => b.count - a.count || b.total - a.total || a.subject.id - b.subject.id,
    );
    return sorted.slice(0, this.#bounds.subjects);
  }

  #lasting({ since, until }: Stretch): Micros {
    return (until ?? this.#window.until) - Math.max(since, this.#window.since);
  }
}
