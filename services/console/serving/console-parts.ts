import type { Clock } from '../../../base/clock.ts';
import type { Networks } from '../../../base/networks.ts';
import type { RecentReads } from '../../../base/recent-reads.ts';
import type { PeopleDoor } from '../../../db/timescale/connections/people-door.ts';
import type { OpenSnapshot } from '../../../db/timescale/connections/snapshot.ts';
import type { SessionRow } from '../../../domain/administration/users/sessions/find-sessions.ts';
import type { Format } from '../../../domain/formats/mapping/format.ts';
import type { PrinterParts } from '../../../domain/labels/printers.ts';
import type { Hearing } from '../../../domain/listening/hearing.ts';
import type { NotCounted, StateCounts } from '../../../domain/reports/presence/count-states.ts';
import type { TimeRules } from '../../../domain/tracking/observed-at.ts';
import type { CredentialCache } from '../../../platform/access/credential-cache.ts';
import type { CredentialUsage } from '../../../platform/access/credential-usage.ts';
import type { RefusedSignIns } from '../../../platform/access/refused-sign-ins.ts';
import type { JsonBytes } from '../../../platform/http/success.ts';
import type { Insight, Serving } from '../../api/entry.ts';
import type { OwnCookie } from './cookie.ts';
import type { HealthChecks } from './health-checks.ts';
import type { ConsoleMeasures } from './measures.ts';
import type { OpenAnswers } from './open-answers.ts';
import type { Proposals } from './proposals.ts';
import type { SignInLimits } from './sign-in-limits.ts';
import type { Trials } from './trials.ts';

/** How people sign in. */
export interface SignInWays {
  hasPasswords: boolean;
  hasProvider: boolean;
}

/** The dependencies of requests, shared by the whole process. */
export interface ConsoleParts {
  serving: Serving;
  people: PeopleDoor;
  sessions: CredentialCache<SessionRow>;
  usage: CredentialUsage;
  /** A session unused for this long has ended. */
  idleSeconds: number;
  cookie: OwnCookie;
  /** Identifies a browser with an earlier sign-in; it outlives sessions. */
  deviceCookie: OwnCookie;
  /** The digest of a browser's token, if somebody signed in with that browser before. */
  findDevice(digest: string): Promise<string | null>;
  /** Proxies whose X-Forwarded-For counts. */
  trustedProxies: Networks;
  signInLimits: SignInLimits;
  refusedSignIns: RefusedSignIns;
  insight: Insight;
  trials: Trials;
  proposals: Proposals;
  /** For reads that take minutes, on their own connection. */
  openSnapshot(orgId: number, signal: AbortSignal): Promise<OpenSnapshot>;
  /** By organization. */
  trees: RecentReads<number, JsonBytes>;
  health: HealthChecks;
  /** By organization. */
  stateCounts: RecentReads<number, StateCounts | NotCounted>;
  inboxCounts: RecentReads<number, { unknown_tags: number; rejected: number; alike_tags: number }>;
  open: OpenAnswers;
  measures: ConsoleMeasures;
  hearing: Hearing;
  printers: PrinterParts;
  /** The addresses to which readers publish; null if unknown. */
  readersUrls: Readonly<Record<'mqtt' | 'push', string | null>>;
  ways: SignInWays;
  builtinFormats: ReadonlyMap<string, Format>;
  /** Dates scans recorded here, which come from replayed messages. */
  dating: { rules: TimeRules; clock: Clock };
  /** The console's address for links, without a trailing slash. */
  publicUrl: string | null;
  /** The address of the handhelds' app; the port counts if the address is unknown. */
  handhelds: { url: string | null; scheme: string; port: number };
}
