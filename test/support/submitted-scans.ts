import { databaseOn } from '../../db/timescale/connections/database.ts';
import { inTransaction } from '../../db/timescale/connections/transaction.ts';
import { waitingRetractions } from '../../domain/tracking/retractions/find-submission.ts';
import { retract } from '../../domain/tracking/retractions/retract.ts';
import type { HandheldSource, Scan } from '../../domain/tracking/scan.ts';
import type { TestDatabase } from './database.ts';
import { RULES, record } from './recording.ts';

/** A handheld's submissions, by numbers of their own: recorded and taken back as by the gateway. */
export class SubmittedScans {
  readonly #database: TestDatabase;
  readonly #orgId: number;
  readonly #handheldId: number;
  #retractions = 0;

  private constructor(database: TestDatabase, orgId: number, handheldId: number) {
    this.#database = database;
    this.#orgId = orgId;
    this.#handheldId = handheldId;
  }

  static async create(database: TestDatabase, orgId: number): Promise<SubmittedScans> {
    const [handheld] = await database.rows<{ id: number }>(
      `insert into handhelds (org_id, name, token_sha256) values ($1, 'Any', sha256('any')) returning id`,
      [orgId],
    );
    return new SubmittedScans(database, orgId, handheld?.id ?? 0);
  }

  /**
   * Records scans together, some of which are those of a submission.
   *
   * @param isOf tells of each, by its index, whether it is.
   */
  async record(submission: number, scans: readonly Scan[], isOf: (index: number) => boolean): Promise<void> {
    const submissionId = this.#name(submission);
    const waiting = await waitingRetractions(databaseOn(this.#database.pool), {
      ...{ orgId: this.#orgId, handheldId: this.#handheldId, submissionId },
    });
    const sourceOf = (index: number): HandheldSource => {
      const retractionId = waiting.get(index);
      return {
        ...{ kind: 'handheld', handheldId: this.#handheldId, submissionId, index },
        ...(retractionId === undefined ? {} : { retractionId }),
      };
    };
    await record(
      this.#database,
      scans.map((scan, index) => (isOf(index) ? { ...scan, source: sourceOf(index) } : scan)),
    );
    await this.#database.rows(
      `insert into submissions (org_id, id, handheld_id, body_sha256, answer)
       select $1, $2, $3, sha256('any'), json_build_object('results', (
         select json_agg(json_build_object('observed_at', date_trunc('milliseconds', time_of_micros(at))))
         from unnest($4::bigint[]) at))`,
      [this.#orgId, submissionId, this.#handheldId, scans.map(({ deviceTime }) => deviceTime)],
    );
  }

  /** Takes one of its scans back, that may still come. */
  async takeBack(submission: number, index: number, receivedAt: number): Promise<void> {
    this.#retractions += 1;
    const retraction = {
      ...{ orgId: this.#orgId, id: `R-${this.#retractions}`, submissionId: this.#name(submission) },
      ...{ indexes: [index], ofHandheld: null, by: { type: 'user', id: '1', requestId: null }, receivedAt },
    };
    await inTransaction(this.#database.pool, (client) =>
      retract(client, retraction, { now: receivedAt, retention: RULES.retention }),
    );
  }

  /** No other organization has one of that id. */
  #name(submission: number): string {
    return `S-${this.#orgId}-${submission}`;
  }
}
