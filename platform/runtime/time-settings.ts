import { integerSetting, optionalInteger } from './setting-kinds.ts';
import type { Configuration } from './settings.ts';

/** Days. */
export const TIME_SETTINGS = {
  SCAN_RETENTION_DAYS: integerSetting('how many days raw scans are kept', {
    initial: 30,
    min: 1,
    max: 36_500,
  }),
  LATENESS_DAYS: integerSetting('how many days after its observation a scan may come', {
    initial: 30,
    min: 1,
    max: 36_500,
  }),
};

/** In days; only retention depends on these. */
export const RETENTION_SETTINGS = {
  MOVES_RETENTION_DAYS: optionalInteger(
    'how many days the events of the move feed are kept; for good if unset',
    { min: 7, max: 36_500 },
  ),
  READINGS_RETENTION_DAYS: integerSetting('how many days values that tags measured are kept', {
    initial: 90,
    min: 1,
    max: 36_500,
  }),
  ADDRESS_RETENTION_DAYS: integerSetting(
    'how many days the change log says which address somebody signed in to the console from',
    { initial: 365, min: 1, max: 36_500 },
  ),
};

/** A late scan is sorted in among the raw scans around it, so those must still exist. */
export function retentionCoversLateness(times: Configuration<typeof TIME_SETTINGS>): string | null {
  const { SCAN_RETENTION_DAYS: retention, LATENESS_DAYS: lateness } = times;
  return retention < lateness
    ? `SCAN_RETENTION_DAYS is ${retention}, less than LATENESS_DAYS, which is ${lateness}; ` +
        `set SCAN_RETENTION_DAYS to ${lateness} or more, or LATENESS_DAYS to ${retention} or less`
    : null;
}
