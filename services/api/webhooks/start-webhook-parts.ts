import { FairSemaphore } from '../../../base/fair-semaphore.ts';
import type { Networks } from '../../../base/networks.ts';
import type { SecretsKeys } from '../../../domain/webhooks/secrets/secrets-key.ts';
import { openAgents } from '../../../domain/webhooks/sending/agents.ts';
import { createResolve } from '../../../domain/webhooks/targets/checked-lookup.ts';
import { Problem } from '../../../platform/http/problem.ts';
import type { Lifecycle } from '../../../platform/runtime/lifecycle.ts';
import type { WebhookParts } from '../serving/context.ts';

export interface WebhookPartsConfig {
  SECRETS_KEY: SecretsKeys | null;
  WEBHOOK_NETWORKS: Networks;
}

/** Tests at a time, and of one organization. */
const TESTS = {
  ...{ total: 32, perKey: 2, perKeyWithRoom: 2, waitingPerKey: 8, patience: 20_000 },
  refusal: () =>
    new Problem(
      'unavailable',
      'Not tested: other tests of webhooks still wait for their receivers, two of an organization at a time, each for up to 15 s; test fewer at once, or try again in a moment',
      { headers: { 'Retry-After': '15' } },
    ),
};

/** @returns null without SECRETS_KEY: then there are no webhooks for this process. */
export async function startWebhookParts(
  { SECRETS_KEY: keys, WEBHOOK_NETWORKS: networks }: WebhookPartsConfig,
  lifecycle: Lifecycle,
): Promise<WebhookParts | null> {
  if (keys === null) {
    return null;
  }
  const agents = await lifecycle.start(
    'connections to receivers',
    () => openAgents({ networks, resolve: createResolve() }),
    (started) => started.end(),
  );
  return { keys, networks, agents, turns: new FairSemaphore(TESTS) };
}
