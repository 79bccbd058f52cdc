import { AppError } from '../../../../base/errors.ts';
import { printable } from '../values/printable.ts';

export interface Fault {
  readonly pointer: string;
  readonly message: string;
}

const MOST_FAULTS_NAMED = 50;

/** A format definition that cannot be used. `faults` is never empty, and the message lists them all. */
export class FormatError extends AppError {
  readonly faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    const named = faults.slice(0, MOST_FAULTS_NAMED);
    super('invalid_input', `Not a usable format: ${named.map(describe).join('; ')}`);
    this.name = 'FormatError';
    this.faults = named;
  }
}

function describe(fault: Fault): string {
  return printable(`${fault.pointer === '' ? 'the definition' : fault.pointer} ${fault.message}`, 300);
}
