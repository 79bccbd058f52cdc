import type { Bodies } from '../../platform/http/body-thread.ts';
import { retractionBody } from './retractions/body.ts';
import { submissionBody } from './submissions/body.ts';
import { sweepBody } from './sweeps/body.ts';

export const BODIES: Bodies = {
  submitScans: submissionBody,
  recordSweep: sweepBody,
  retractScans: retractionBody,
};
