import { Counter, Gauge, type Registry } from 'prom-client';
import { invalid, invalidValue } from '../../../base/checks/issues.ts';
import { AppError } from '../../../base/errors.ts';
import { RecentReads } from '../../../base/recent-reads.ts';
import { ProviderRefusal } from '../../../domain/administration/users/provider/provider-refusal.ts';
import { UserFault } from '../../../domain/administration/users/user-fields.ts';
import { Problem } from '../../../platform/http/problem.ts';
import { measureFigure } from '../../../platform/runtime/figures.ts';

const WAYS = ['password', 'link', 'provider'] as const;
const OUTCOMES = ['accepted', 'refused', 'limited', 'failed'] as const;
const CUTS = ['unread', 'signed_out', 'failed'] as const;

type Outcome = (typeof OUTCOMES)[number];
export type Cut = (typeof CUTS)[number];

/** Milliseconds for which a count of sessions is reused. */
const SESSIONS_MS = 10_000;

/** The console's counters beside requests. */
export class ConsoleMeasures {
  readonly #signIns: Counter<'way' | 'outcome'>;
  readonly #cuts: Counter<'why'>;

  /** @param streams event streams that are open now. */
  constructor(
    registry: Registry,
    { sessions, streams }: { sessions: () => Promise<number>; streams: () => number },
  ) {
    const registers = [registry];
    this.#signIns = new Counter({
      name: 'tagtrail_console_sign_ins_total',
      help: 'Attempts to sign in: accepted, refused (wrong, unknown, disabled, gone), limited (too many), failed (for no fault of theirs).',
      labelNames: ['way', 'outcome'] as const,
      registers,
    });
    this.#cuts = new Counter({
      name: 'tagtrail_console_event_streams_cut_total',
      help: 'Event streams ended from this side: unread for 30 s, signed_out (or no member any more), failed (nothing could be read).',
      labelNames: ['why'] as const,
      registers,
    });
    for (const way of WAYS) {
      for (const outcome of OUTCOMES) {
        this.#signIns.inc({ way, outcome }, 0);
      }
    }
    for (const why of CUTS) {
      this.#cuts.inc({ why }, 0);
    }
    const help = 'Open pages that are sent moves as they come.';
    measureFigure(registry, 'tagtrail_console_event_streams', help, streams);
    measureSessions(registry, sessions);
  }

  /** Counts what comes of `attempt`. */
  async signingIn<Result>(way: (typeof WAYS)[number], attempt: () => Promise<Result>): Promise<Result> {
    try {
      const result = await attempt();
      this.#signIns.inc({ way, outcome: 'accepted' });
      return result;
    } catch (error) {
      const outcome = outcomeOf(error);
      if (outcome !== null) {
        this.#signIns.inc({ way, outcome });
      }
      throw error;
    }
  }

  cut(why: Cut): void {
    this.#cuts.inc({ why });
  }
}

/** Measured in the database, the same from every process. Without it there is no figure. */
function measureSessions(registry: Registry, sessions: () => Promise<number>): void {
  const recent = new RecentReads<'sessions', number>(SESSIONS_MS);
  new Gauge({
    name: 'tagtrail_console_sessions',
    help: 'Sessions of all users that have not ended.',
    registers: [registry],
    async collect() {
      try {
        this.set(await recent.read('sessions', sessions));
      } catch {
        this.remove();
      }
    },
  });
}

/** Null for a faulty form, such as a password that is too short: nobody was let in or refused. */
function outcomeOf(error: unknown): Outcome | null {
  if (error instanceof UserFault) {
    return null;
  }
  const code = error instanceof Problem ? error.type : error instanceof AppError ? error.code : null;
  if (code === 'rate_limited') {
    return 'limited';
  }
  return error instanceof ProviderRefusal || REFUSALS.has(code) ? 'refused' : 'failed';
}

const REFUSALS = new Set<string | null>(['unauthorized', 'forbidden', 'not_found', 'conflict']);

/** Answers a fault of the input as a fault of its field. */
export async function withFields<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof UserFault ? invalid([invalidValue(error.field, error.message)]) : error;
  }
}
