import { type KnownFormats, loadFormats } from '../../../domain/administration/formats/load-formats.ts';
import { loadReaders, type RegisteredReader } from '../../../domain/messages/load-readers.ts';
import type { ConsoleContext } from '../serving/context.ts';

export interface Registered {
  formats: KnownFormats;
  readers: readonly RegisteredReader[];
}

/** An organization's readers, and the formats that there are for them. */
export function loadRegisteredOf({ db: { orgId }, parts }: ConsoleContext): Promise<Registered> {
  return parts.insight.run(orgId, async (installation) => {
    const formats = await loadFormats(installation, parts.builtinFormats, orgId);
    return { formats, readers: await loadReaders(installation, formats, { orgIds: [orgId] }) };
  });
}
