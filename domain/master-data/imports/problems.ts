import type { FieldIssue } from '../../../base/checks/issues.ts';

/** Faults of a file: the first ones, and the number of others. */
export class FileProblems {
  readonly #issues: { line: number; issue: FieldIssue }[] = [];
  leftOut = 0;

  get areThere(): boolean {
    return this.#issues.length > 0;
  }

  /** In the order of the file. */
  inOrder(): FieldIssue[] {
    return this.#issues.toSorted((a, b) => a.line - b.line).map(({ issue }) => issue);
  }

  /**
   * Notes faults of a row.
   *
   * @param leftOut issues beyond those found.
   */
  note(line: number, found: readonly FieldIssue[], leftOut = 0): void {
    this.leftOut += leftOut;
    for (const { field, code, message, params } of found) {
      if (this.#issues.length === MOST_SHOWN) {
        this.leftOut += 1;
      } else {
        const issue = { field, code, message: `line ${line}: ${message}`, params: { line, ...params } };
        this.#issues.push({ line, issue });
      }
    }
  }
}

const MOST_SHOWN = 1_000;
