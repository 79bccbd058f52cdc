import { globSync } from 'node:fs';
import { expect } from 'chai';
import { run } from '../../support/process.ts';

const SERVICES = globSync('services/*/main.ts').filter((path) => !path.includes('/cli/'));

describe('a service that is given arguments', () => {
  async function ended(path: string, ...args: string[]) {
    // Ends by itself however the arguments are taken: there is no such database.
    const program = run(path, args, { DATABASE_URL: 'none', TAGTRAIL_DATA: '/dev/null' });
    return { status: await program.ended, stdout: program.stdout(), stderr: program.stderr() };
  }

  it('names what it does not understand, and does not start', async () => {
    expect(SERVICES).to.have.length.above(5);
    const answers = await Promise.all(SERVICES.map((path) => ended(path, '--port=80')));
    const error =
      '--port=80 is not understood: a service takes no arguments, its settings are variables of the environment. Try --help.\n';
    expect(answers).to.deep.equal(SERVICES.map(() => ({ status: 2, stdout: '', stderr: error })));
  });

  it('shows help instead of starting, also as a command', async () => {
    const answers = [
      await ended('services/standalone/main.ts', '--help'),
      await ended('services/cli/tagtrail.ts', 'start', '-h'),
    ];
    for (const { status, stdout, stderr } of answers) {
      expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
      expect(stdout).to.include('docs/settings.md').and.include('tagtrail doctor');
    }
  });
});
