import type { JsonSchema } from '../../../base/checks/fields.ts';
import { wantReads } from '../../../domain/listening/wanted.ts';
import { EventStream } from '../../../platform/http/event-stream.ts';
import { enterAll } from '../../../platform/http/open-streams.ts';
import { idFilter, idInPath, integer } from '../../../platform/http/parameters.ts';
import type { Query } from '../../../platform/http/query.ts';
import type { Success } from '../../../platform/http/success.ts';
import { OWN_READER } from '../readers/own-reader.ts';
import { memberRoute } from '../serving/context.ts';
import { streamHeard } from './stream-heard.ts';

/** Antenna 0 is all of them. `organization` is read with the session: an `EventSource` can send no header. */
const LISTEN = {
  parameters: { antenna: integer({ min: 0, max: 32_767 }, 0), organization: idFilter },
} as const satisfies Query;

const TEXT: JsonSchema = { type: 'string' };

const STREAM: Success<EventStream> = {
  ...{ status: 200, description: 'Events, until either side ends it', schema: TEXT, headers: {} },
  present: (body) => ({ body }),
};

const listen = memberRoute({
  ...{ method: 'GET', path: '/console/v1/readers/{reader_id}/listen', operationId: 'listenToReader' },
  summary: 'What an antenna reads, to aim it by: the last 30 seconds, twice a second',
  description:
    'Server-sent events `heard`, each whole. Tags nobody registered are among them, and what is rejected.',
  scope: 'readers:listen',
  query: LISTEN,
  params: { reader_id: idInPath },
  find: OWN_READER,
  success: STREAM,
  problems: { unavailable: 'Too many listen' },
  handle: async ({ context, row: readerId, query: { antenna }, signal, confirm }) => {
    const { db, parts, session } = context;
    const leave = enterAll(
      () => parts.open.tabs.enter(session.user_id),
      () => parts.open.listeners.enter(db.orgId),
    );
    const listened = { orgId: db.orgId, readerId, antenna };
    const hangUp = signal();
    const want = () => parts.insight.run(db.orgId, (installation) => wantReads(installation, listened));
    return new EventStream(
      () =>
        streamHeard(
          { db, signal: hangUp, confirm },
          parts.hearing.listen({ listened, signal: hangUp, want }),
        ),
      { onClose: leave },
    );
  },
});

export const listenRoutes = [listen];
