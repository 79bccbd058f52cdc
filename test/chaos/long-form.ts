/** What `npm run chaos -- --scenario <name>` runs. */
export interface LongForm {
  /** What it does, in a line. */
  summary: string;
  /** Its own options, as they are typed. */
  options: string;
  /**
   * Prints a report.
   *
   * @param args without `--scenario`.
   * @param isTimescale whether its databases are to be on TimescaleDB, or else on the embedded PostgreSQL.
   * @param signal ends it before its time, in order: nothing that it started is left.
   * @returns whether nothing is missing, doubled or wrong.
   * @throws TypeError if an option is unknown or invalid; the signal's reason.
   */
  run(args: string[], isTimescale: boolean, signal: AbortSignal): Promise<boolean>;
}
