import { append } from '../../base/append.ts';
import { TAGTRAIL } from '../../base/typed-command.ts';
import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { readFigures } from '../webhooks/figures.ts';
import { sayState } from '../webhooks/stored-webhook.ts';
import { listUnsigned } from '../webhooks/unsigned.ts';
import { type Finding, fault, ok, warning } from './finding.ts';

/** Seconds after which an event that was not delivered is worth a look: a receiver may be down for a while. */
const LATE = 600;

/** Checks whether webhooks are delivered, and to whom they are not any more. */
export async function examineWebhooks(db: Connection, orgId: number | null = null): Promise<Finding[]> {
  const { count, lag, latest, ended, isDelivered } = await readFigures(db, orgId);
  const findings = ended.map((webhook) =>
    warning(
      'webhooks',
      `Webhook ${webhook.id} (${webhook.name}) is ${sayState({ state: webhook.state, stateReason: webhook.state_reason })}; its events wait in the feed`,
      `${TAGTRAIL} webhook attempts --webhook ${webhook.id} says why; when that is mended: ${
        webhook.state_reason === 'expired'
          ? `${TAGTRAIL} webhook replay --webhook ${webhook.id} --after ...`
          : `${TAGTRAIL} webhook set --webhook ${webhook.id} --state on`
      }`,
      {
        what: webhook.state_reason === 'expired' ? 'replay_webhook' : 'switch_webhook_on',
        id: webhook.id,
      },
    ),
  );
  const unsigned = isDelivered ? await listUnsigned(db, orgId) : [];
  append(
    findings,
    unsigned.map(({ id, name }) =>
      fault(
        'webhooks',
        `Webhook ${id} (${name}) is not delivered: its secret was encrypted with a SECRETS_KEY that the service lacks`,
        `Give the service that key in SECRETS_KEY, after a comma; or make a new secret with the SECRETS_KEY of the service: ${TAGTRAIL} webhook set --webhook ${id} --rotate-secret --drop-old-secret`,
        { what: 'rotate_secret', id },
      ),
    ),
  );
  if (count.on > 0 && !isDelivered) {
    findings.push(
      fault(
        'webhooks',
        `${count.on} are on, but no process delivers them`,
        'Start a worker with the SECRETS_KEY of their secrets',
      ),
    );
    // While secrets cannot be read, the oldest event may be of those: no receiver is to blame for it.
  } else if (lag > LATE && latest !== null && unsigned.length === 0) {
    findings.push(
      warning(
        'webhooks',
        `An event has waited for ${Math.round(lag / 60)} minutes to be delivered by webhook ${latest.id} (${latest.name})`,
        `${TAGTRAIL} webhook attempts --webhook ${latest.id} shows its receiver's answers; webhook list --org ... shows others that are behind`,
        { what: 'look_at_attempts', id: latest.id },
      ),
    );
  }
  return findings.length > 0
    ? findings
    : [ok('webhooks', count.on === 0 ? 'None is on' : `${count.on}, each up to date within ten minutes`)];
}
