import type { Bodies } from '../../platform/http/body-thread.ts';
import { submissionBody } from './submissions/body.ts';

/** The bodies that the gateway takes, for threads that check them. */
export const BODIES: Bodies = { submitScans: submissionBody };
