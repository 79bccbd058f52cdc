import { expensiveTurns } from '../../../base/expensive-turns.ts';
import type { RunImport } from '../../../domain/master-data/kept-imports/check-and-apply.ts';
import type { Keyed } from '../../../domain/master-data/live-by-key.ts';
import { runImport } from '../../api/entry.ts';
import type { ConsoleContext } from '../serving/context.ts';
import { actorOfUser } from '../serving/person.ts';

export interface ImportRequest {
  context: ConsoleContext;
  requestId: string;
  charge(tokens: number): Promise<void>;
  confirm(): Promise<void>;
}

/** Imports as `POST /assets/bulk` does, in turn; the wait and the work go on if the caller hangs up. */
export function runKept({ context, requestId, charge, confirm }: ImportRequest, resource: Keyed): RunImport {
  const actor = actorOfUser(context.session, requestId);
  return (source, options) =>
    expensiveTurns.request(() =>
      context.imports.run(
        context.db.orgId,
        async () => {
          await confirm();
          return runImport(context, actor, { ...options, resource, source, charge });
        },
        NEVER,
      ),
    );
}

const NEVER = new AbortController().signal;
