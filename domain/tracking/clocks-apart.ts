import { MICROS_PER_SECOND, type Micros } from '../../base/instant.ts';

/** This machine's clock is wrong: nothing it dates may be written. */
export class ClocksApart extends Error {
  constructor(ahead: Micros) {
    const seconds = (Math.abs(ahead) / MICROS_PER_SECOND).toFixed(1);
    const side = ahead > 0 ? 'ahead of' : 'behind';
    super(
      `this machine's clock is ${seconds} s ${side} the database's; keep both in step with a time server`,
    );
  }
}
