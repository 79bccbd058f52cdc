import type { Connection } from '../../db/timescale/queries/verbs.ts';
import { examineFloods, examineLeftOut, examineSetAsideAlerts } from './alerts.ts';
import { examineBrokerSessions } from './broker-sessions.ts';
import { examineCellMoves } from './cell-moves.ts';
import type { Finding } from './finding.ts';
import { examineLocating } from './locating.ts';
import { examineMail } from './mail.ts';
import { examineSealing, examineSetAside } from './move-feed.ts';
import { examinePlans } from './plans.ts';
import { examinePublishedTopics, examineReaders, examineRejections, examineSilences } from './readers.ts';
import { examineHypertables, examineSequences, examineServer } from './server.ts';
import { examineSignIns } from './sign-ins.ts';
import { examineStoredAhead } from './stored-ahead.ts';
import { examineTags } from './tags.ts';
import { examineWebhooks } from './webhooks.ts';

/** Checks one organization, and names nothing of another. */
export async function examineOrganization(db: Connection, orgId: number): Promise<Finding[]> {
  return [
    ...(await examineReaders(db, orgId)),
    ...(await examineSilences(db, orgId)),
    ...(await examinePublishedTopics(db, null, orgId)),
    await examineRejections(db, orgId),
    ...(await examineSetAside(db, orgId)),
    ...(await examineWebhooks(db, orgId)),
    ...(await examineSetAsideAlerts(db, orgId)),
    ...(await examineLeftOut(db, orgId)),
    ...(await examineFloods(db, orgId)),
    ...(await examineTags(db, orgId)),
    ...(await examineLocating(db, orgId)),
    ...(await examinePlans(db, orgId)),
    ...(await examineMail(db, orgId)),
    ...(await examineSignIns(db, orgId)),
  ];
}

/**
 * Faults that concern every organization of the installation and that the database shows.
 *
 * @param now milliseconds since 1970, of this machine.
 */
export async function examineInstallation(db: Connection, now: () => number): Promise<Finding[]> {
  return [
    ...(await examineServer(db, now)),
    await examineHypertables(db),
    await examineSequences(db),
    await examineStoredAhead(db),
    await examineSealing(db),
    await examineBrokerSessions(db),
    ...(await examineCellMoves(db)),
  ];
}
