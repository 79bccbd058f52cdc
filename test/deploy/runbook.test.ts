import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { useChecker } from '../support/checker.ts';
import { runCommand } from '../support/command-line.ts';
import { DEPLOY, PROJECT, readDeployed, readYaml } from './folder.ts';

describe('the runbook', () => {
  const runbook = readDeployed('README.md');
  const blocks = [...runbook.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
  const lines = blocks.flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'));
  const shellcheck = useChecker('shellcheck');

  it('has commands that a shell understands', () => {
    // Aliases, and changing folders without a look, are for people, who type one line after the other.
    const checked = shellcheck.run(['--shell=bash', '--exclude=SC2262,SC2263,SC1091,SC2164', '-'], {
      input: blocks.join('\n'),
    });
    expect(checked).to.deep.equal({ status: 0, said: '' });
  });

  it('has commands of the command line that there are, with options that they have', async () => {
    const used = lines.flatMap((line) =>
      [...line.matchAll(/(?:^|\()(?:npx (?:--no -- )?)?tagtrail ([^|<>)]+)/g)].map(([, words = '']) => words),
    );
    expect(used).to.have.length.above(10);
    const asked = new Map(used.map((words) => [words.split(/ --/)[0]?.trim() ?? '', '']));
    await Promise.all(
      [...asked.keys()].map(async (command) => {
        const { status, stdout } = await runCommand([...command.split(' '), '--help']);
        expect(status, command).to.equal(0);
        expect(stdout).to.include(`Usage: tagtrail ${command} `);
        asked.set(command, stdout);
      }),
    );
    for (const words of used) {
      const help = asked.get(words.split(/ --/)[0]?.trim() ?? '') ?? '';
      for (const [option] of words.matchAll(/--[a-z-]+/g)) {
        expect(help, words).to.include(option);
      }
    }
  });

  it('names services, jobs and files that there are', () => {
    const { services } = readYaml('compose.yaml') as { services: object };
    const named = lines.flatMap((line) => [
      ...line.matchAll(
        /docker compose (?:exec|run|stop|restart)((?: -\S+)*)((?: [a-z-]+)+?)(?= [a-z_]+ |$)/g,
      ),
    ]);
    expect(named).to.have.length.above(5);
    const known = Object.keys(services);
    for (const [line, , words = ''] of named) {
      expect(known, line).to.include.members(words.trim().split(' ').slice(0, 1));
    }
    for (const [, path = ''] of runbook.matchAll(
      /(?:^|[\s`(])((?:deploy|kubernetes|systemd|mosquitto|prometheus)\/[\w./-]*\w)/gm,
    )) {
      const isMade = ['kubernetes/secrets.yaml', 'mosquitto/certificates'].includes(path);
      const isThere = existsSync(`${DEPLOY}/${path}`) || existsSync(PROJECT + path);
      expect(isMade || isThere, path).to.equal(true);
    }
  });

  it('links to headings and files that there are', () => {
    const headings = [...runbook.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replace(/[^\w -]/g, '')
        .replaceAll(' ', '-'),
    );
    for (const [, target = ''] of runbook.matchAll(/\]\(([^)]+)\)/g)) {
      if (target.startsWith('#')) {
        expect(headings).to.include(target.slice(1));
      } else {
        expect(existsSync(`${DEPLOY}/${target.replace(/#.*/, '')}`), target).to.equal(true);
      }
    }
  });

  it('says of every alert what to do', () => {
    const { groups } = readYaml('prometheus/alerts.yml') as { groups: { rules: { alert: string }[] }[] };
    const told = [...runbook.matchAll(/^\| `.*$/gm)].map(([row]) => row).join('\n');
    const ways = [...told.matchAll(/`(?:\.\.\.|Tagtrail)(\w+)`/g)].map(([, way = '']) => way);
    for (const { alert } of groups.flatMap(({ rules }) => rules)) {
      expect(
        ways.some((way) => alert.endsWith(way)),
        alert,
      ).to.equal(true);
    }
  });
});
