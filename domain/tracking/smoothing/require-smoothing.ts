import { AppError } from '../../../base/errors.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { type DatedSmoothing, MAX_WINDOW } from './settings.ts';

/** A setting as somebody wants it. */
export interface Setting {
  orgId: number;
  /** Null for all locations that have no setting of their own. */
  locationId: number | null;
  smoothing: DatedSmoothing['smoothing'];
}

/**
 * @throws AppError `invalid_input` if window or minimum are not whole seconds in their bounds, the margin is not above
 *   0 and at most 100 dB, neither minimum nor margin is given, or an organization is to inherit.
 */
export function requireSmoothing(
  smoothing: Setting['smoothing'],
  { isOfLocation }: { isOfLocation: boolean },
): void {
  if (smoothing === 'inherit' && !isOfLocation) {
    throw new AppError('invalid_input', 'Only a location can inherit; an organization is smoothed or off');
  }
  if (typeof smoothing === 'string') {
    return;
  }
  const { window, minimum, margin } = smoothing;
  requireSeconds('The window', window, MAX_WINDOW);
  if (minimum === null && margin === null) {
    throw new AppError('invalid_input', 'Smoothing needs a minimum time, a margin in dB, or both');
  }
  if (minimum !== null) {
    requireSeconds('The minimum time, which has to fit into the window,', minimum, window);
  }
  if (margin !== null && !(margin > 0 && margin <= 100)) {
    throw new AppError('invalid_input', 'The margin is above 0 and at most 100 dB');
  }
}

function requireSeconds(what: string, micros: Micros, max: Micros): void {
  if (!(micros >= MICROS_PER_SECOND && micros <= max && micros % MICROS_PER_SECOND === 0)) {
    throw new AppError('invalid_input', `${what} is whole seconds from 1 to ${max / MICROS_PER_SECOND}`);
  }
}
