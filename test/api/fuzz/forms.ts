import fc from 'fast-check';
import { INVALID_UTF8, inserted } from './bodies.ts';
import { TEXTS } from './values.ts';

const BOUNDARY = 'x';
export const FORM_TYPE = `multipart/form-data; boundary=${BOUNDARY}`;

const NAMES = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('name="file"', 'name=file; filename="a.csv"', 'NAME="f\\"ile"') },
  fc.constantFrom('', 'name', 'name=', 'name="', 'filename="file"', 'name="%22"'),
);

const PARTS = fc
  .tuple(NAMES, fc.constantFrom('\r\n', '\r\nContent-Type: text/csv\r\n', '\n', ': x\r\n'), TEXTS)
  .map(
    ([name, more, content]) =>
      `--${BOUNDARY}\r\nContent-Disposition: form-data; ${name}${more}\r\n${content}\r\n`,
  );

/** Forms with a file, or something like it. */
export const FORMS = fc
  .tuple(
    fc.array(PARTS, { maxLength: 3 }),
    fc.constantFrom(`--${BOUNDARY}--\r\n`, `--${BOUNDARY}--`, `--${BOUNDARY}`, ''),
    fc.option(fc.tuple(fc.nat(200), INVALID_UTF8), { freq: 4 }),
  )
  .map(([parts, end, damage]) => {
    const form = Buffer.from(parts.join('') + end);
    return damage === null ? form : inserted(form, ...damage);
  });
