import type { Random } from '../../../support/random.ts';

const SCRAPS = [
  ...[
    '[',
    ']',
    '{',
    '}',
    '"',
    ',',
    ':',
    '\\',
    '\\u',
    '\\ud800',
    'null',
    'true',
    '1e999',
    '-',
    '\n',
    '\r\n',
    '\u001e',
    ' ',
  ],
  ...['17805918222810019991', '0'.repeat(40), '$GPRP,', '""', '\ufeff', '[{', '}]', '__proto__', '\0'],
].map((scrap) => Buffer.from(scrap));

/** The payload with bytes flipped, cut out, doubled, put in, or its end cut off. */
export function changeBytes(payload: Buffer, other: Buffer, random: Random): Buffer {
  let changed = payload;
  for (let times = random.below(4) + 1; times > 0; times -= 1) {
    changed = change(changed, other, random);
  }
  return changed;
}

function change(payload: Buffer, other: Buffer, random: Random): Buffer {
  const at = random.below(payload.length + 1);
  const length = random.below(random.once(4) ? payload.length + 1 : 9);
  const before = payload.subarray(0, at);
  const behind = payload.subarray(at);
  switch (random.below(8)) {
    case 0:
      return before;
    case 1:
      return Buffer.concat([before, behind.subarray(length)]);
    case 2:
      return Buffer.concat([before, behind.subarray(0, length), behind]);
    case 3:
      return Buffer.concat([before, random.bytes(8), behind.subarray(length)]);
    case 4:
      return Buffer.concat([before, other.subarray(random.below(other.length + 1)).subarray(0, 200), behind]);
    case 5:
      return Buffer.concat([before, random.pick(SCRAPS), behind]);
    default: {
      const flipped = Buffer.from(payload);
      if (at < flipped.length) {
        flipped[at] = (flipped[at] ?? 0) ^ (1 << random.below(8));
      }
      return flipped;
    }
  }
}

/** Scraps of JSON and of other things, one after the other. */
export function soup(random: Random): Buffer {
  return Buffer.concat(Array.from({ length: random.below(60) }, () => random.pick(SCRAPS)));
}
