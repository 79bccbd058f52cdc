import { heardEverywhere } from '../../../base/heard-everywhere.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { awaitSubscribed } from '../../../domain/administration/readers/await-subscribed.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { running } from '../running/running.ts';

/** Resolves when the reader's messages are recorded from now on; or prints that they may not be. */
export async function awaitReader(db: Connection, topic: string): Promise<void> {
  await heardEverywhere();
  if (!(await awaitSubscribed((look) => look(db), topic))) {
    running().streams.stderr.write(
      `Ingestion has not subscribed to ${forTerminal(topic)} at its broker yet; the broker keeps nothing of what is ` +
        `published before that. Its log says whether the broker refuses the topic; ${TAGTRAIL} doctor looks at the rest\n`,
    );
  }
}
