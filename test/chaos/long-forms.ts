import { KEPT } from './brokers/kept-form.ts';
import { HIVEMQ, RMQTT } from './brokers/session-forms.ts';
import { CELLS } from './cells/cells-form.ts';
import { COPY } from './copy-run.ts';
import { EVERY_FAULT } from './every-fault.ts';
import type { LongForm } from './long-form.ts';
import { PATRONI } from './patroni-run.ts';
import { RABBITMQ } from './rabbitmq.ts';

/** The scenarios of `npm run chaos`; the first is the default. */
export const LONG_FORMS: Readonly<Record<string, LongForm>> = {
  faults: EVERY_FAULT,
  patroni: PATRONI,
  rabbitmq: RABBITMQ,
  hivemq: HIVEMQ,
  rmqtt: RMQTT,
  kept: KEPT,
  cells: CELLS,
  copy: COPY,
};
