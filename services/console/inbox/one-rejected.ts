import { findKept } from '../../../domain/administration/rejected/kept-message.ts';
import { idInPath } from '../../../platform/http/parameters.ts';
import type { ConsoleContext } from '../serving/context.ts';

/** Ids are the installation's: one of another organization is as good as none. */
function findOwn({ db: { orgId }, parts }: ConsoleContext, id: number) {
  return parts.insight.run(orgId, async (installation) => {
    const message = await findKept(installation, id);
    return message?.orgId === orgId ? message : null;
  });
}

export const REJECTED_FIND = {
  missing: 'Rejected message not found',
  row: ({ context, params }: { context: ConsoleContext; params: { rejected_id: number } }) =>
    findOwn(context, params.rejected_id),
} as const;

export const ONE_REJECTED = { params: { rejected_id: idInPath }, find: REJECTED_FIND } as const;
