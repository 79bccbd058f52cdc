import { type KnownFormats, loadFormats } from '../../../domain/administration/formats/load-formats.ts';
import type { KeptMessage } from '../../../domain/administration/rejected/kept-message.ts';
import type { Policies } from '../../../domain/formats/mapping/policies.ts';
import { loadReaders } from '../../../domain/messages/load-readers.ts';
import type { ConsoleContext } from '../serving/context.ts';

/** The formats that there are for an organization's readers. */
export function loadFormatsOf({ db: { orgId }, parts }: ConsoleContext): Promise<KnownFormats> {
  return parts.insight.run(orgId, (installation) => loadFormats(installation, parts.builtinFormats, orgId));
}

/** The reader that sent a message, unless it was deleted. */
export async function loadPoliciesOf(
  { db: { orgId }, parts }: ConsoleContext,
  { readerId }: KeptMessage,
): Promise<Partial<Policies>> {
  const [reader] =
    readerId === null
      ? []
      : await parts.insight.run(orgId, (db) =>
          loadReaders(db, parts.builtinFormats, { readerIds: [readerId] }),
        );
  return reader?.policies ?? {};
}
