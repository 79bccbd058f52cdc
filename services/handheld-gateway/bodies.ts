import type { Bodies } from '../../platform/http/body-thread.ts';
import { submissionBody } from './submissions/body.ts';

export const BODIES: Bodies = { submitScans: submissionBody };
