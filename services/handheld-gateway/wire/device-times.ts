import { exceptSentinels, instant } from '../../../base/checks/fields.ts';

/**
 * When something was, by the device's clock. What a clock that was never set says is taken, too: nobody can say it better
 * any more, and the time of reception counts instead.
 */
export const deviceTime = instant;

/** The device's clock as it sends. A wrong clock is as good as a right one; a constant would misdate everything. */
export const deviceClock = exceptSentinels(
  (sentinel) =>
    `must be what the device's clock shows at this attempt to send, not ${sentinel}, which programs send when they ` +
    'have no time; a wrong clock will do, as long as it runs, and may be set before the next attempt',
);
