import { append } from '../../../base/append.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { wireTimeOfMicros } from '../../../base/timestamps.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import type { Interval } from '../../presence/intervals.ts';
import type { Stretch } from '../conditions/stretch.ts';
import type { Kind } from '../rules/rule.ts';
import { countSubjects, type Subject } from './subjects.ts';
import { type Trial, type Tried, trialRule, tryRule } from './try-rule.ts';

export interface TrialOptions {
  bounds: TallyBounds;
  /** Assets, or readers, that are processed together. */
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

/** The result of a trial for display. @param of the number of assets, or readers, to look at. */
async function trialFields(
  db: Connection,
  { orgId, settings, window }: Trial,
  tally: TrialTally,
  of: number,
) {
  const { kind } = settings;
  const { alerts, longest } = tally;
  const keys = await locationKeys(db, orgId, longest === null ? alerts : [...alerts, longest]);
  const shown = ({ subject, stretch, lasting }: TriedAlert) => ({
    ...subjectFields(kind, subject),
    location_external_key: keys.get(locationOf(stretch) ?? 0) ?? null,
    opened_at: wireTimeOfMicros(Math.max(stretch.since, window.since)),
    is_older: stretch.since <= window.since,
    closed_at: stretch.until === null ? null : wireTimeOfMicros(stretch.until),
    level: stretch.level,
    alarm_at: stretch.alarmSince === null ? null : wireTimeOfMicros(stretch.alarmSince),
    seconds: inSeconds(lasting),
  });
  return {
    ...{ since: wireTimeOfMicros(window.since), until: wireTimeOfMicros(window.until) },
    ...{ looked_at: tally.looked, looked_at_of: of, is_complete: tally.looked >= of },
    ...{ alert_count: tally.count, subject_count: tally.subjectCount },
    longest: longest === null ? null : shown(longest),
    subjects: tally.subjects.map(({ subject, count, longest: most, total }) => ({
      ...subjectFields(kind, subject),
      ...{ alert_count: count, longest_seconds: inSeconds(most), total_seconds: inSeconds(total) },
    })),
    alerts: alerts.map(shown),
    alerts_left_out: tally.count - alerts.length,
  };
}

function subjectFields(kind: Kind, { id, name }: Subject) {
  return kind === 'reader'
    ? { asset_external_key: null, reader_id: id, reader_name: name }
    : { asset_external_key: name, reader_id: null, reader_name: null };
}

function locationOf({ because }: TriedAlert['stretch']): number | null {
  return because.kind === 'reader' ? null : because.locationId;
}

async function locationKeys(
  db: Connection,
  orgId: number,
  alerts: readonly TriedAlert[],
): Promise<ReadonlyMap<number, string>> {
  const ids = new Set(alerts.flatMap(({ stretch }) => locationOf(stretch) ?? []));
  const rows = await db.any(sql.type(rowsOf<{ id: number; external_key: string }>())`
    select id, external_key from locations where org_id = ${orgId} and id = any (${sql.array([...ids], 'int4')})`);
  return new Map(rows.map(({ id, external_key: key }) => [id, key]));
}

function inSeconds(duration: Micros): number {
  return Math.floor(duration / MICROS_PER_SECOND);
}

/** An alert that a rule would have raised. */
interface TriedAlert {
  subject: Subject;
  stretch: Stretch;
  /** Within the window. */
  lasting: Micros;
}

/** The alerts that a rule would have raised for one asset or reader. */
interface TriedSubject {
  subject: Subject;
  count: number;
  longest: Micros;
  total: Micros;
}

interface TallyBounds {
  /** Alerts to list, ordered by asset or reader. */
  alerts: number;
  /** Assets or readers to list, those with most alerts. */
  subjects: number;
}

/** The bounded part of a trial's result that is kept. */
class TrialTally {
  looked = 0;
  count = 0;
  /** Number of assets or readers with any alert. */
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
