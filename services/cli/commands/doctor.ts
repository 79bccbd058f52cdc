import { TAGTRAIL } from '../../../base/typed-command.ts';
import type { Finding } from '../../../domain/health/finding.ts';
import { addTopCommand, type Command } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { FAILED } from '../command-line/report-error.ts';
import { examine } from '../doctor/examine.ts';
import { running } from '../running/running.ts';

export function addDoctor(program: Command): void {
  addTopCommand(program, 'doctor')
    .summary('find faults and their remedies')
    .description(
      'Check settings, database, broker, clock, disk and readers, and say what to do. Exits with 1 if there is a fault, not for warnings.',
    )
    .addHelpText('after', `\nExample:\n  DATABASE_URL=postgres://... ${TAGTRAIL} doctor`)
    .prints(async () => {
      const findings = (await examine(running().env, Date.now)).map(shown);
      const faults = findings.filter(({ status }) => status === 'fault').length;
      const warnings = findings.filter(({ status }) => status === 'warning').length;
      const summary = `${count(faults, 'fault')}, ${count(warnings, 'warning')}`;
      running().status = faults > 0 ? FAILED : 0;
      return { json: { faults, warnings, findings }, text: [...findings.map(lineOf), summary].join('\n') };
    });
}

function shown({ check, status, message, remedy }: Finding): Omit<Finding, 'mend'> {
  return {
    check,
    status,
    message: forTerminal(message),
    remedy: remedy === null ? null : forTerminal(remedy),
  };
}

const MARKS = { ok: 'ok     ', warning: 'warning', fault: 'FAULT  ' };

function lineOf({ check, status, message, remedy }: Omit<Finding, 'mend'>): string {
  return `${MARKS[status]}  ${check}: ${message}${remedy === null ? '' : `\n         -> ${remedy}`}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
