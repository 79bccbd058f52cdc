import { expect } from 'chai';
import { useChecker } from '../support/checker.ts';
import { DEPLOY, deployed } from './folder.ts';

describe('the YAML of deploy', () => {
  const yamllint = useChecker('yamllint');

  it('passes yamllint', () => {
    const files = deployed(/\.ya?ml$/);
    expect(files).to.include.members(['compose.yaml', 'kubernetes/api.yaml', 'prometheus/alerts.yml']);
    const checked = yamllint.run(['--strict', '--config-data', RULES, ...files], { cwd: DEPLOY });
    expect(checked).to.deep.equal({ status: 0, said: '' });
  });
});

describe('the shell scripts of deploy', () => {
  const shellcheck = useChecker('shellcheck');

  it('pass shellcheck', () => {
    const files = [...deployed(/\.sh$/), 'systemd/renewed', 'systemd/tagtrail', 'systemd/upgrade'];
    expect(files).to.deep.equal([
      'haproxy/moved.sh',
      'image/entrypoint.sh',
      'mosquitto/logins.sh',
      'systemd/renewed',
      'systemd/tagtrail',
      'systemd/upgrade',
    ]);
    const checked = shellcheck.run(files, {
      cwd: DEPLOY,
    });
    expect(checked).to.deep.equal({ status: 0, said: '' });
  });
});

const RULES = JSON.stringify({
  extends: 'default',
  rules: {
    'line-length': { max: 130 },
    'document-start': 'disable',
    braces: { 'max-spaces-inside': 1 },
    'comments-indentation': 'disable',
    comments: { 'min-spaces-from-content': 1 },
    truthy: { 'check-keys': false },
  },
});
