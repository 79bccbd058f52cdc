import type { FieldIssue } from '../../../base/checks/issues.ts';

export class FileProblems {
  readonly #issues: { line: number; issue: FieldIssue }[] = [];
  leftOut = 0;
  readonly #lines = new Set<number>();

  get areThere(): boolean {
    return this.#issues.length > 0;
  }

  /** Faulty ones, those left out included. */
  get lines(): ReadonlySet<number> {
    return this.#lines;
  }

  inOrder(): FieldIssue[] {
    return this.#issues.toSorted((a, b) => a.line - b.line).map(({ issue }) => issue);
  }

  note(line: number, found: readonly FieldIssue[], leftOut = 0): void {
    this.leftOut += leftOut;
    this.#lines.add(line);
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
