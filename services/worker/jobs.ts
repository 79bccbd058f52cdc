import { createClock } from '../../base/clock.ts';
import { openAgents } from '../../domain/webhooks/sending/agents.ts';
import { createResolve } from '../../domain/webhooks/targets/checked-lookup.ts';
import type { JobConfig } from './config.ts';
import { deliverWebhooks } from './jobs/deliver-webhooks.ts';
import { deriveAlerts } from './jobs/derive-alerts.ts';
import { deriveSilences } from './jobs/derive-silences.ts';
import { finishUpgrade } from './jobs/finish-upgrade.ts';
import type { Job, JobParts } from './jobs/job.ts';
import { learnGaps } from './jobs/learn-gaps.ts';
import { recomputeHistories } from './jobs/recompute-histories.ts';
import { recordCaptures } from './jobs/record-captures.ts';
import { renewTagKeys } from './jobs/renew-keys.ts';
import { retain } from './jobs/retain.ts';
import { sealMoves } from './jobs/seal-moves.ts';
import { sendMail } from './jobs/send-mail.ts';

/** All work in the background, except what the settings leave out. */
export function jobsOf(config: JobConfig, parts: JobParts): Job[] {
  const { DATABASE_URL: url, MIGRATE_DATABASE_URL: ownerUrl, SECRETS_KEY: keys } = config;
  const { SMTP_URL: server, MAIL_FROM: from } = config;
  return [
    sealMoves(parts),
    deriveSilences(parts),
    learnGaps(createClock(), parts),
    deriveAlerts(parts),
    retain(config, parts),
    recomputeHistories(parts),
    renewTagKeys(parts),
    recordCaptures(config, createClock(), parts),
    ...(keys === null ? [] : [deliverWebhooks(url, { ...parts, keys, agents: agentsOf(config) })]),
    ...(server === null || from === null ? [] : [sendMail({ ...config, server, from }, parts)]),
    ...(ownerUrl === null ? [] : [finishUpgrade(ownerUrl, parts.log)]),
  ];
}

function agentsOf({ WEBHOOK_NETWORKS: networks }: JobConfig) {
  return openAgents({ networks, resolve: createResolve() });
}
