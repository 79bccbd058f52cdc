import { AppError } from '../../../base/errors.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { type DatedSmoothing, MAX_WINDOW } from './settings.ts';

export interface Setting {
  orgId: number;
  /** Null for all locations that have no setting of their own. */
  locationId: number | null;
  smoothing: DatedSmoothing['smoothing'];
}

/** What is wrong with a setting, and in which field, by its name in output. */
export class SmoothingFault extends AppError {
  readonly field: 'mode' | 'window_seconds' | 'min_seconds' | 'margin_db';

  constructor(field: SmoothingFault['field'], message: string) {
    super('invalid_input', message);
    this.field = field;
  }
}

/** @throws SmoothingFault `invalid_input`. */
export function requireSmoothing(
  smoothing: Setting['smoothing'],
  { isOfLocation }: { isOfLocation: boolean },
): void {
  if (smoothing === 'inherit' && !isOfLocation) {
    throw new SmoothingFault(
      'mode',
      'Only a location can inherit; the smoothing of an organization must be on or off',
    );
  }
  if (typeof smoothing === 'string') {
    return;
  }
  const { window, minimum, margin } = smoothing;
  requireSeconds('window_seconds', 'The window', window, MAX_WINDOW, 30);
  if (minimum === null && margin === null) {
    throw new SmoothingFault(
      'min_seconds',
      'Smoothing must have a minimum time (min_seconds, such as 5), a margin (margin_db, such as 6), or both',
    );
  }
  if (minimum !== null) {
    requireSeconds('min_seconds', 'The minimum time', minimum, window, 5, ', the window');
  }
  if (margin !== null && !(margin > 0 && margin <= 100)) {
    throw new SmoothingFault(
      'margin_db',
      'The margin (margin_db) must be above 0 and at most 100 dB, such as 6',
    );
  }
}

function requireSeconds(
  field: 'window_seconds' | 'min_seconds',
  name: string,
  micros: Micros,
  max: Micros,
  example: number,
  maxIs = '',
): void {
  if (!(micros >= MICROS_PER_SECOND && micros <= max && micros % MICROS_PER_SECOND === 0)) {
    const most = max / MICROS_PER_SECOND;
    const range = `a whole number of seconds from 1 to ${most}${maxIs}`;
    throw new SmoothingFault(
      field,
      `${name} (${field}) must be ${range}, such as ${Math.min(example, most)}`,
    );
  }
}
