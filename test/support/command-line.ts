import { expect } from 'chai';
import type { TestDatabase } from './database.ts';
import { run } from './process.ts';

export function commandLineOn(
  database: () => Pick<TestDatabase, 'url'>,
  environment: Readonly<Record<string, string>> = {},
) {
  async function tagtrail(...args: string[]) {
    const program = run('services/cli/tagtrail.ts', args, { DATABASE_URL: database().url, ...environment });
    const status = await program.ended;
    return { status, stdout: program.stdout(), stderr: program.stderr() };
  }
  return {
    tagtrail,
    /** The one JSON document on standard output of a command that succeeds. */
    json: async (...args: string[]) => {
      const { status, stdout, stderr } = await tagtrail(...args, '--json');
      expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
      return JSON.parse(stdout);
    },
    fails: async (status: number, message: string, ...args: string[]) => {
      const ended = await tagtrail(...args);
      expect(ended).to.deep.include({ status, stdout: '' });
      expect(ended.stderr).to.include(message);
    },
  };
}
