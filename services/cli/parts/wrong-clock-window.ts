import { AppError } from '../../../base/errors.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { WrongClock } from '../../../domain/tracking/wrong-clock/wrong-clock.ts';
import { shownTime } from '../command-line/instants.ts';
import { lasting } from './duration.ts';

/** @throws AppError `invalid_input` if the window is empty, or longer than the clock was ahead. */
export function requireWindow({ from, to, ahead }: WrongClock): void {
  if (!(to > from && to - from <= ahead)) {
    throw new AppError(
      'invalid_input',
      `--to must be after --from, and not longer after it than --by (${inUnits(ahead)}); mend a longer time in several steps, the earliest first`,
    );
  }
}

/** The options that name it. */
export function optionsOf({ from, to, ahead, isAll }: WrongClock): string {
  return `--by ${inUnits(ahead)} --from ${shownTime(from)} --to ${shownTime(to)}${isAll ? ' --all' : ''}`;
}

export function inUnits(duration: Micros): string {
  return lasting(Math.ceil(duration / MICROS_PER_SECOND));
}

export function shownWindow({ from, to, ahead, isAll }: WrongClock) {
  return {
    from: shownTime(from),
    to: shownTime(to),
    by_seconds: ahead / MICROS_PER_SECOND,
    is_all: isAll,
  };
}
