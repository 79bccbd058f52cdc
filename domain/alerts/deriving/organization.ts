import type { Micros } from '../../../base/instant.ts';
import { DueTimes } from './due-times.ts';
import type { OrganizationRules } from './rules-of-organization.ts';
import type { SinceWhen } from './since-when.ts';
import { Unheard } from './unheard.ts';

export interface Organization {
  rules: OrganizationRules;
  assets: DueTimes;
  readers: DueTimes;
  /** Assets that wait for readers to say something. */
  unheard: Unheard;
  /** When assets that are overdue were read last, as far as was known when they were looked at. */
  overdue: Map<number, Micros>;
  /** Assets that were looked at, by the rules there are, and of which no condition held. */
  quiet: Set<number>;
  /** The asset up to which all were looked at since this process derives; null for all. */
  lookedUpTo: number | null;
}

/** What is to be derived of an organization in a turn. */
export interface Work {
  assets: SinceWhen;
  readers: SinceWhen;
}

export function newOrganization(rules: OrganizationRules): Organization {
  return {
    rules,
    assets: new DueTimes(),
    readers: new DueTimes(),
    unheard: new Unheard(),
    overdue: new Map(),
    quiet: new Set(),
    lookedUpTo: 0,
  };
}

export function takeDue({ assets, readers }: Organization, work: Work, now: Micros, share: number): void {
  for (const { id, at } of assets.take(now, share)) {
    work.assets.add(id, at);
  }
  for (const { id, at } of readers.take(now, share)) {
    work.readers.add(id, at);
  }
}

/** What is dated after the window is due then. */
export function dueLater(work: SinceWhen, dues: DueTimes, now: Micros): void {
  for (const [id, { until }] of work.entries()) {
    if (until >= now) {
      dues.add(id, until);
    }
  }
}
