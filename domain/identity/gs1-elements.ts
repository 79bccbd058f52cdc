/** A part of a value: `N` digits, `X` letters, digits and 20 signs, `Y` without small letters and most signs, `Z` base64. */
export interface Part {
  kind: 'N' | 'X' | 'Y' | 'Z';
  least: number;
  most: number;
}

/** The value of an application identifier. */
interface ApplicationIdentifier {
  parts: readonly Part[];
  least: number;
  most: number;
  /** The last digit of the first part is a check digit. */
  isChecked: boolean;
}

/**
 * GS1 General Specifications, section 3. All identifiers, because the length of one says where the next begins. `c` is
 * a check digit, `..` a maximum length; a part in brackets may be missing.
 */
const TABLE = `00 N18c
  01-03 N14c
  10 X..20
  11-13 N6
  15-17 N6
  20 N2
  21-22 X..20
  235 X..28
  240-241 X..30
  242 N..6
  243 X..20
  250-251 X..30
  253 N13c[X..17]
  254 X..20
  255 N13c[N..12]
  30 N..8
  3100-3105 3110-3115 3120-3125 3130-3135 3140-3145 3150-3155 3160-3165 N6
  3200-3205 3210-3215 3220-3225 3230-3235 3240-3245 3250-3255 3260-3265 3270-3275 3280-3285 3290-3295 N6
  3300-3305 3310-3315 3320-3325 3330-3335 3340-3345 3350-3355 3360-3365 3370-3375 N6
  3400-3405 3410-3415 3420-3425 3430-3435 3440-3445 3450-3455 3460-3465 3470-3475 3480-3485 3490-3495 N6
  3500-3505 3510-3515 3520-3525 3530-3535 3540-3545 3550-3555 3560-3565 3570-3575 N6
  3600-3605 3610-3615 3620-3625 3630-3635 3640-3645 3650-3655 3660-3665 3670-3675 3680-3685 3690-3695 N6
  37 N..8
  3900-3909 3920-3929 N..15
  3910-3919 3930-3939 N3N..15
  3940-3943 N4
  3950-3955 N6
  400-401 403 X..30
  402 N17c
  410-417 N13c
  420 X..20
  421 N3X..9
  422 424 426 N3
  423 425 N3[N..12]
  427 X..3
  4300-4301 4310-4311 4320 X..35
  4302-4306 4312-4316 X..70
  4307 4317 X2
  4308 4319 X..30
  4309 N20
  4318 X..20
  4321-4323 N1
  4324-4325 N10
  4326 N6
  4330-4333 N6[X1]
  7001 N13
  7002 7023 X..30
  7003 N10
  7004 N..4
  7005 X..12
  7006 N6
  7007 N6[N6]
  7008 X..3
  7009 X..10
  7010 X..2
  7011 N6[N4]
  7020-7022 710-717 7240 X..20
  7030-7039 N3X..27
  7040 N1X3
  7041 X..4
  7230-7239 X2X..28
  7241 N2
  7242 X..25
  7250 N8
  7251 N12
  7252 N1
  7253-7254 7259 X..40
  7255 X..10
  7256 X..90
  7257 X..70
  7258 X3
  8001 N14
  8002 8012 X..20
  8003 N14c[X..16]
  8004 X..30
  8005 N6
  8006 8026 N14cN4
  8007 X..34
  8008 N8[N..4]
  8009 X..50
  8010 Y..30
  8011 N..12
  8013-8014 8020 X..25
  8017-8018 N18c
  8019 N..10
  8030 Z..90
  8040-8041 N15
  8042 N32
  8043 N18[N..2]
  8110 8112 8200 X..70
  8111 N4
  90 X..30
  91-99 X..90`;

const PART = /(\[)?([NXYZ])(\.\.)?(\d+)(c)?/g;

function formatOf(text: string): ApplicationIdentifier {
  const parts = [...text.matchAll(PART)].map(([, isOptional, kind, isVariable, length]): Part => {
    const most = Number(length);
    const least = isOptional !== undefined ? 0 : isVariable !== undefined ? 1 : most;
    return { kind: kind as Part['kind'], least, most };
  });
  const sum = (of: (part: Part) => number) => parts.reduce((total, part) => total + of(part), 0);
  return {
    parts,
    least: sum(({ least }) => least),
    most: sum(({ most }) => most),
    isChecked: text.includes('c'),
  };
}

const IDENTIFIERS = new Map<string, ApplicationIdentifier>(
  TABLE.split('\n').flatMap((line) => {
    const words = line.trim().split(' ');
    const format = formatOf(words.pop() ?? '');
    return words.flatMap((range) => {
      const [first = '', last = first] = range.split('-');
      const count = Number(last) - Number(first) + 1;
      return Array.from({ length: count }, (_, index): [string, ApplicationIdentifier] => [
        String(Number(first) + index).padStart(first.length, '0'),
        format,
      ]);
    });
  }),
);

export function identifierNamed(ai: string): ApplicationIdentifier | undefined {
  return IDENTIFIERS.get(ai);
}

/** The identifier that begins at `at`; none is the beginning of another. */
export function identifierAt(text: string, at: number): string | null {
  for (let length = 2; length <= 4; length++) {
    const ai = text.slice(at, at + length);
    if (IDENTIFIERS.has(ai)) {
      return ai;
    }
  }
  return null;
}

const CHARACTERS: Record<Part['kind'], RegExp> = {
  N: /^[0-9]*$/,
  X: /^[!-"%-?A-Z_a-z]*$/,
  Y: /^[#\--9A-Z]*$/,
  Z: /^[\w=-]*$/,
};

export function isValueOf({ parts, least, most, isChecked }: ApplicationIdentifier, value: string): boolean {
  if (value.length < least || value.length > most) {
    return false;
  }
  let at = 0;
  for (const [index, { kind, most: longest }] of parts.entries()) {
    const part = value.slice(at, at + longest);
    // A part that varies is the last one.
    if (!CHARACTERS[kind].test(part) || (index === 0 && isChecked && !hasCheckDigit(part))) {
      return false;
    }
    at += longest;
  }
  return true;
}

/** GS1's: 3 times every other digit, from the right, and the rest, are a multiple of 10. */
export function hasCheckDigit(digits: string): boolean {
  return checkDigit(digits.slice(0, -1)) === digits.slice(-1);
}

export function checkDigit(digits: string): string {
  let sum = 0;
  for (let index = 0; index < digits.length; index++) {
    const digit = digits.charCodeAt(index) - 48;
    sum += (digits.length - index) % 2 === 0 ? digit : 3 * digit;
  }
  return String((10 - (sum % 10)) % 10);
}

/** Application identifiers with their values. */
export type Elements = ReadonlyMap<string, string>;

/** The identifiers that name things, in order of precedence, each with those that complete it. */
const KEYS: ReadonlyMap<string, readonly string[]> = new Map([
  ['00', []],
  ['01', ['21', '10']],
  ['8006', ['21']],
  ['8010', ['8011']],
  ['8003', []],
  ['8004', []],
  ['253', []],
  ['255', []],
  ['8018', ['8019']],
  ['8017', ['8019']],
  ['414', ['254']],
]);

/** Identifiers of Digital Links that may stand between or after those of the key. */
export const QUALIFIERS: ReadonlyMap<string, readonly string[]> = new Map([
  ['01', ['22', '10', '21', '235']],
  ['8006', ['22', '10', '21']],
  ['8010', ['8011']],
  ['8018', ['8019']],
  ['8017', ['8019']],
  ['414', ['254', '7040']],
  ['8004', ['7040']],
]);

export function isKey(ai: string): boolean {
  return KEYS.has(ai);
}

/** The elements that name the thing: the key and what completes it; null if there is none. */
export function keyElements(elements: Elements): Elements | null {
  for (const [ai, completing] of KEYS) {
    const value = elements.get(ai);
    if (value !== undefined) {
      const completed = completing.find((one) => elements.has(one));
      return completed === undefined
        ? new Map([[ai, value]])
        : new Map([
            [ai, value],
            [completed, elements.get(completed) ?? ''],
          ]);
    }
  }
  return null;
}

/** FNC1. A GS1 key begins with it, so that no other value can equal one by chance. */
export const FNC1 = '\u001d';

/** A matching key: an element string. */
export function matchingKey(elements: Elements): string {
  let key = '';
  for (const [ai, value] of elements) {
    key += FNC1 + ai + value;
  }
  return key;
}

/** Whether all values are what their identifiers take. */
export function areValid(elements: Elements): boolean {
  return [...elements].every(([ai, value]) => {
    const identifier = identifierNamed(ai);
    return identifier !== undefined && isValueOf(identifier, value);
  });
}

/** The 14 digits of a GTIN of 8, 12, 13 or 14; null if it is none. */
export function gtin14(digits: string): string | null {
  const isGtin = /^(?:[0-9]{8}|[0-9]{12,14})$/.test(digits) && hasCheckDigit(digits);
  return isGtin ? digits.padStart(14, '0') : null;
}
