import type { Micros } from '../../../../base/instant.ts';
import type { Kind } from '../../rules/rule.ts';

/** An alert whose state has changed since the last letter, in its present state. */
export interface TouchedAlert {
  id: string;
  ruleName: string;
  kind: Kind;
  /** The name of the asset or reader; like the location's, it may contain any text. */
  subject: string;
  location: string | null;
  state: 'open' | 'acknowledged' | 'closed' | 'withdrawn';
  level: 'warning' | 'alarm' | null;
  /** For `overdue`. */
  isMissing: boolean;
  /** Of what a tag measured. */
  reading: { kind: string; above: number | null; below: number | null; value: number } | null;
  openedAt: Micros;
  closedAt: Micros | null;
  /** Opened since the last letter, so no letter has reported it. */
  isNew: boolean;
}
