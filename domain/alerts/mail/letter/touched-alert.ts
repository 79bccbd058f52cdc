import type { Micros } from '../../../../base/instant.ts';
import type { Kind } from '../../rules/rule.ts';

/** An alert whose state has changed since the last letter, as it is now. */
export interface TouchedAlert {
  id: string;
  ruleName: string;
  kind: Kind;
  /** The name of the asset or reader: as that of the location, anything may be in it. */
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
  /** It was opened since the last letter: no letter has told of it. */
  isNew: boolean;
}
