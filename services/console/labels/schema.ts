import { arrayOf, choice, externalKey, integer, text } from '../../../base/checks/fields.ts';
import { accepted, type Checked, invalidValue, refused, required } from '../../../base/checks/issues.ts';
import { mandatory, optional } from '../../../base/checks/members.ts';
import { ADDRESS_MAX_LENGTH } from '../../../domain/labels/printers.ts';
import { MOST_LABELLED, type RangeName, SERIAL_AIS } from '../../../domain/labels/serials.ts';
import {
  CODES,
  HEIGHTS,
  LOCKS,
  type Printing,
  RESOLUTIONS,
  USUAL_SIZE,
  WIDTHS,
} from '../../../domain/labels/zpl.ts';
import { checkedBody, jsonBody } from '../../../platform/http/body.ts';
import { keyFilter, type Parameter } from '../../../platform/http/parameters.ts';
import { COUNT_SCHEMA, objectOf, TEXT_SCHEMA } from '../serving/schemas.ts';

export const RANGE = objectOf({
  ai: { type: 'string', enum: SERIAL_AIS },
  base: TEXT_SCHEMA,
  prefix_length: COUNT_SCHEMA,
  filter: COUNT_SCHEMA,
  next_serial: COUNT_SCHEMA,
  last_serial: COUNT_SCHEMA,
});

export const PRINTER = objectOf({ name: TEXT_SCHEMA, address: TEXT_SCHEMA });

export const printerBody = jsonBody({
  name: mandatory(externalKey),
  address: mandatory(text(ADDRESS_MAX_LENGTH)),
});

export const ONE_PRINTER = { printer: keyFilter as Parameter<string> };

/** Of an SGTIN-96, which takes the largest numbers. */
const MOST_SERIAL = 2 ** 38 - 1;

const whole = (min: number, max: number) =>
  integer({ min, max }, { type: 'integer', minimum: min, maximum: max });

const NAME = { ai: mandatory(choice(SERIAL_AIS)), base: mandatory(text(14)) };

export const rangeBody = jsonBody({
  ...NAME,
  prefix_length: mandatory(whole(6, 12)),
  filter: mandatory(whole(0, 7)),
  next_serial: mandatory(whole(0, MOST_SERIAL)),
  last_serial: mandatory(whole(0, MOST_SERIAL)),
});

const LABELS = {
  ...NAME,
  external_keys: mandatory(arrayOf(externalKey, { min: 1, max: MOST_LABELLED })),
  dpi: mandatory(whole(RESOLUTIONS[0], RESOLUTIONS[2])),
  width_mm: optional(whole(WIDTHS.min, WIDTHS.max)),
  height_mm: optional(whole(HEIGHTS.min, HEIGHTS.max)),
  codes: optional(choice(CODES)),
  lock: optional(choice(LOCKS)),
  access_password: optional(text(8)),
  kill_password: optional(text(8)),
  printer: optional(externalKey),
};

interface Wanted extends RangeName {
  external_keys: readonly string[];
  printer: string | undefined;
  printing: Printing;
}

export const labelsBody = checkedBody(
  jsonBody(LABELS),
  ({ dpi, width_mm, height_mm, codes, lock, access_password, kill_password, ...which }): Checked<Wanted> => {
    const resolution = RESOLUTIONS.find((each) => each === dpi);
    if (resolution === undefined) {
      return refused(invalidValue('dpi', `must be one of: ${RESOLUTIONS.join(', ')}`));
    }
    for (const [field, password] of Object.entries({ access_password, kill_password })) {
      if (password !== undefined && !/^(?!0{8})[0-9A-Fa-f]{8}$/.test(password)) {
        return refused(invalidValue(field, 'must be 8 hex digits, not all of them 0'));
      }
    }
    if (lock === 'by_password' && access_password === undefined) {
      return refused(required('access_password'));
    }
    return accepted({
      ...which,
      printing: {
        dpi: resolution,
        width: width_mm ?? USUAL_SIZE.width,
        height: height_mm ?? USUAL_SIZE.height,
        codes: codes ?? 'both',
        lock: lock ?? null,
        accessPassword: access_password ?? null,
        killPassword: kill_password ?? null,
      },
    });
  },
);
