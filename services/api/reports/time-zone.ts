import { accepted, invalidValue, refused } from '../../../base/checks/issues.ts';
import { timeZoneNamed } from '../../../base/time-zones.ts';
import type { Parameter } from '../../../platform/http/parameters.ts';

/** A time zone; UTC if there is none. */
export const timeZone: Parameter<string> = {
  schema: { type: 'string', default: 'UTC' },
  isRepeatable: false,
  read: ([value = 'UTC', ...others], name) => {
    if (others.length > 0) {
      return refused(invalidValue(name, 'must be given only once'));
    }
    const known = timeZoneNamed(value);
    return known === null
      ? refused(invalidValue(name, 'must be a time zone of the IANA database, e.g. Europe/Berlin'))
      : accepted(known);
  },
};
