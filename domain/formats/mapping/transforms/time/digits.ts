/** -1 unless all are digits. */
export function digits(value: string, from: number, end: number): number {
  let number = 0;
  for (let at = from; at < end; at++) {
    const digit = digitAt(value, at);
    if (digit < 0) {
      return -1;
    }
    number = number * 10 + digit;
  }
  return number;
}

export function endOfDigits(value: string, from: number): number {
  let at = from;
  while (at < value.length && digitAt(value, at) >= 0) {
    at += 1;
  }
  return at;
}

/** Fraction of a second to microseconds; finer digits are cut off, not rounded. */
export function microsOfFraction(value: string, from: number, end: number): number {
  let micros = 0;
  for (let at = from; at < from + 6; at++) {
    micros = micros * 10 + (at < end ? digitAt(value, at) : 0);
  }
  return micros;
}

function digitAt(value: string, at: number): number {
  const digit = value.charCodeAt(at) - 0x30;
  return digit >= 0 && digit <= 9 ? digit : -1;
}
