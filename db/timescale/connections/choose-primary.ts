import { greatestOf } from '../../../base/extremes.ts';
import { type ServerAnswer, UNTOLD } from './ask-server.ts';
import type { Address } from './database-url.ts';

/** The primary of a cluster that this process goes to, or only the timeline that it has heard of. */
export interface Known extends Pick<ServerAnswer, 'system' | 'timeline'> {
  startedAt: string | null;
}

/** `code` of the error if two servers take changes. */
export const DIVIDED = 'DIVIDED';

/**
 * Chooses the server to connect to: one that takes changes, or else one that could if it were not set read-only. Never
 * one on an older timeline than another answer or `known`: a standby was promoted in its place.
 *
 * @param known what is known of a cluster.
 * @returns null if there is none.
 * @throws if there are two and nothing says which is right.
 */
export function choosePrimary(
  answers: readonly ServerAnswer[],
  known: (system: string) => Known | undefined,
): ServerAnswer | null {
  const open = answers.filter(
    (answer) => answer.standing !== 'standby' && answer.timeline >= newestOf(answer.system, answers, known),
  );
  const writable = open.filter(({ standing }) => standing === 'primary');
  const [first, ...others] = writable.length > 0 ? writable : open;
  if (first === undefined) {
    return null;
  }
  const other = others.find((answer) => !isSame(answer, first));
  if (other === undefined) {
    return first;
  }
  const used = [first, ...others].filter((answer) => isSame(answer, known(answer.system)));
  if (used[0] === undefined || used.some((answer) => !isSame(answer, used[0]))) {
    throw Object.assign(new Error(divided(first, other)), { code: DIVIDED });
  }
  return used[0];
}

/** The fault of the servers as a whole and its remedy; null if there is none. */
export function faultOfServers(
  answers: readonly ServerAnswer[],
  known: (system: string) => Known | undefined,
): { message: string; remedy: string } | null {
  const [first] = answers;
  const foreign = answers.find(({ system }) => !isSameSystem(system, first?.system ?? UNTOLD));
  if (first !== undefined && foreign !== undefined) {
    return {
      message: differing(first, foreign),
      remedy: 'Name only a primary and its standbys in DATABASE_URL',
    };
  }
  const writable = answers
    .filter(({ standing }) => standing === 'primary')
    .sort((one, other) => other.timeline - one.timeline);
  const [newest] = writable;
  if (newest === undefined) {
    return null;
  }
  const other = writable.find((answer) => !isSame(answer, newest));
  if (other !== undefined) {
    return {
      message: divided(newest, other),
      remedy:
        other.timeline < newest.timeline
          ? `Stop ${nameOf(other.address)}, which takes no changes any more, and make it a standby (pg_rewind)`
          : 'Stop the wrong one, and make it a standby (pg_rewind)',
    };
  }
  const timeline = newestOf(newest.system, answers, known);
  return newest.timeline < timeline
    ? {
        message: `${nameOf(newest.address)} takes changes, and is not used: it ${outdated(newest, timeline)}`,
        remedy: `Start the primary of timeline ${timeline}, and make ${nameOf(newest.address)} a standby (pg_rewind); to use it all the same, restart every process, and take the others out of DATABASE_URL`,
      }
    : null;
}

/** Why a server is not chosen among others. */
export function whyNot(
  answer: ServerAnswer,
  answers: readonly ServerAnswer[],
  known: (system: string) => Known | undefined,
): string {
  return answer.standing === 'standby'
    ? 'is a standby'
    : outdated(answer, newestOf(answer.system, answers, known));
}

export function nameOf({ host, port }: Address): string {
  return `${host}:${port}`;
}

export function isSame(answer: Known, other: Known | undefined): boolean {
  return (
    other !== undefined && isSameSystem(answer.system, other.system) && answer.startedAt === other.startedAt
  );
}

/** True also if one does not say: permission to ask can change while processes run. */
export function isSameSystem(one: string, other: string): boolean {
  return one === other || one === UNTOLD || other === UNTOLD;
}

function newestOf(
  system: string,
  answers: readonly ServerAnswer[],
  known: (system: string) => Known | undefined,
): number {
  const said = answers.filter((answer) => answer.system === system).map(({ timeline }) => timeline);
  return greatestOf([known(system)?.timeline ?? 0, ...said]);
}

function outdated({ timeline }: ServerAnswer, newest: number): string {
  return `is of timeline ${timeline}, and a standby was promoted to ${newest}`;
}

function divided(one: ServerAnswer, other: ServerAnswer): string {
  return one.system === other.system
    ? `two servers take changes: ${[one, other].map(withTimeline).join(' and ')}`
    : differing(one, other);
}

function withTimeline({ address, timeline }: ServerAnswer): string {
  return `${nameOf(address)} (timeline ${timeline})`;
}

function differing(one: ServerAnswer, other: ServerAnswer): string {
  return `${nameOf(one.address)} and ${nameOf(other.address)} are different databases (system identifiers ${one.system} and ${other.system})`;
}
