import { AppError } from '../../base/errors.ts';
import { requireName } from '../../base/names.ts';
import type { Networks } from '../../base/networks.ts';
import { isSettleSeconds, MOST_SETTLE_SECONDS } from '../moves/settle-seconds.ts';
import { EVENT_TYPES, isEventType } from './event-types.ts';
import { faultOfTarget } from './targets/target-url.ts';

export interface WebhookFields {
  name?: string | undefined;
  url?: string | undefined;
  types?: readonly string[] | null | undefined;
  settleSeconds?: number | undefined;
}

/** Checks that apply to every webhook, new or changed. @throws AppError `invalid_input`. */
export function requireFields({ name, url, types, settleSeconds }: WebhookFields, networks: Networks): void {
  if (name !== undefined) {
    requireName('a webhook', name);
  }
  const fault = url === undefined ? null : faultOfTarget(url, networks);
  if (fault !== null) {
    throw new AppError('invalid_input', `The URL ${fault}`);
  }
  if (settleSeconds !== undefined && !isSettleSeconds(settleSeconds)) {
    throw new AppError(
      'invalid_input',
      `Events can wait 0 to ${MOST_SETTLE_SECONDS} whole seconds, not ${settleSeconds}`,
    );
  }
  const unknown = (types ?? []).filter((type) => !isEventType(type));
  if (unknown.length > 0 || types?.length === 0) {
    throw new AppError(
      'invalid_input',
      `${unknown.length > 0 ? `Unknown type ${unknown.join(', ')}` : 'No type is given'}; there are ${EVENT_TYPES.join(', ')}`,
    );
  }
}
