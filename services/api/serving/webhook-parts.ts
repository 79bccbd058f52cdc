import type { FairSemaphore } from '../../../base/fair-semaphore.ts';
import type { Networks } from '../../../base/networks.ts';
import type { SecretsKeys } from '../../../domain/webhooks/secrets/secrets-key.ts';
import type { Agents } from '../../../domain/webhooks/sending/agents.ts';

/** The dependencies of requests about webhooks. */
export interface WebhookParts {
  keys: SecretsKeys;
  networks: Networks;
  agents: Agents;
  /** For tests, which wait for receivers. */
  turns: FairSemaphore<number>;
}
