import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { useChecker } from '../support/checker.ts';
import { runCommand } from '../support/command-line.ts';
import { DEPLOY, PROJECT, RUNBOOK, readDeployed, readYaml } from './folder.ts';

describe('the runbook', () => {
  const runbook = RUNBOOK.map(readDeployed).join('\n');
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
      [...line.matchAll(/(?:^|\()(?:npx (?:--no -- )?)?tagtrail (?!--version|start|demo)([^|<>)]+)/g)].map(
        ([, words = '']) => words,
      ),
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

  it('has symptom, cause and remedy under a heading for each alert, or for several in a row', () => {
    const { groups } = readYaml('prometheus/alerts.yml') as { groups: { rules: { alert: string }[] }[] };
    const sections = [...readDeployed('operate.md').matchAll(ALERTS)];
    const described = sections.flatMap(([, headings = '']) =>
      headings
        .trim()
        .split(/\n?### /)
        .slice(1),
    );
    expect(described.toSorted()).to.deep.equal(
      groups.flatMap(({ rules }) => rules.map(({ alert }) => alert)).toSorted(),
    );
    for (const [, headings, text = ''] of sections) {
      const parts = [...text.matchAll(/^- (\w+): /gm)].map(([, part]) => part);
      expect(parts, headings).to.deep.equal(['Symptom', 'Cause', 'Remedy']);
    }
  });
});

/** Headings, and what is said under them. */
const ALERTS = /^((?:### Tagtrail\w+\n)+)\n((?:[- ] .*\n)+)/gm;
