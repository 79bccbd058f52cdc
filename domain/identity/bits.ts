/** Reads numbers from hex digits, bit by bit. It reads zeros beyond the end; `isOver` tells. */
export class BitReader {
  at = 0;
  readonly #hex: string;
  readonly length: number;

  constructor(hex: string) {
    this.#hex = hex;
    this.length = hex.length * 4;
  }

  get isOver(): boolean {
    return this.at > this.length;
  }

  /** Up to 48 bits. */
  number(bits: number): number {
    if (bits === 0) {
      return 0;
    }
    const end = this.at + bits;
    const last = (end + 3) >> 2;
    const digits = this.#hex.slice(this.at >> 2, last).padEnd(last - (this.at >> 2), '0');
    const behind = (last << 2) - end;
    this.at = end;
    const value = Number.parseInt(digits, 16);
    return behind === 0 ? value % 2 ** bits : Math.floor(value / 2 ** behind) % 2 ** bits;
  }

  /** Any number of bits, in decimal. */
  decimal(bits: number): string {
    if (bits <= 48) {
      return String(this.number(bits));
    }
    let value = 0n;
    for (let left = bits; left > 0; left -= 32) {
      const taken = Math.min(32, left);
      value = (value << BigInt(taken)) | BigInt(this.number(taken));
    }
    return String(value);
  }

  /** Whether all of the next bits are zeros. */
  isZero(bits: number): boolean {
    for (let left = bits; left > 0; left -= 48) {
      if (this.number(Math.min(48, left)) !== 0) {
        return false;
      }
    }
    return true;
  }
}

export class BitWriter {
  #bits = '';

  number(value: number | bigint, bits: number): void {
    this.#bits += value.toString(2).padStart(bits, '0');
  }

  zeros(bits: number): void {
    this.#bits += '0'.repeat(bits);
  }

  raw(bits: string): void {
    this.#bits += bits;
  }

  get length(): number {
    return this.#bits.length;
  }

  /** With zeros behind it up to a word of 16 bits, as tags have it. */
  hex(): string {
    const padded = this.#bits.padEnd(Math.ceil(this.#bits.length / 16) * 16, '0');
    return (padded.match(/.{4}/g) ?? [])
      .map((four) => Number.parseInt(four, 2).toString(16))
      .join('')
      .toUpperCase();
  }
}
