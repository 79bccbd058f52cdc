import { embeddedPostmaster, runningEmbeddedUrl } from '../../../db/timescale/embedded/server.ts';
import { type Finding, fault } from '../../../domain/health/finding.ts';

/** The URL of the embedded server in the data folder, or the reason it is not running. Never starts it. */
export function examineEmbedded(data: string): string | Finding {
  const url = runningEmbeddedUrl(data);
  if (url !== null) {
    return url;
  }
  return embeddedPostmaster(data) === null
    ? fault(
        'database',
        `The embedded database in ${data} is not running: nothing is recorded, and nothing is answered`,
        'Start everything: npm start',
      )
    : fault(
        'database',
        `The embedded database in ${data} has died: it is not running, and was not stopped in order`,
        `Stop npm start if it runs still, and start it again; it recovers what was committed. ${data}/postgres/server.log tells why it died`,
      );
}
