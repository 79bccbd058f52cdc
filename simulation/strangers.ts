import type { Random } from './random.ts';

export interface Strangers {
  tag(tagType: 'rfid' | 'ble'): string;
}

export function makeStrangers(random: Random): Strangers {
  const digits = (count: number) =>
    Array.from({ length: count }, () => random.integer(0, 15).toString(16).toUpperCase()).join('');
  const rfid = Array.from({ length: 40 }, () => `AD99${digits(20)}`);
  return {
    // The addresses of telephones change all the time.
    tag: (tagType) => (tagType === 'rfid' ? random.pick(rfid) : `F${digits(11)}`),
  };
}
