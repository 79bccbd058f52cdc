/** One line, in the place of the last, where somebody watches. */
export function showProgress(line: string): void {
  if (process.stderr.isTTY) {
    process.stderr.write(`\r\u001b[K${line}`);
  }
}
