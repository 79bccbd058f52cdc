import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { useChecker } from '../support/checker.ts';
import { itByNight } from '../support/random-sets.ts';
import { expressionsOfAlerts, expressionsOfDashboard } from './expressions.ts';
import { DEPLOY, readDeployed, readYaml } from './folder.ts';

describe('the configuration of Prometheus', () => {
  const promtool = useChecker('promtool');
  const cwd = `${DEPLOY}/prometheus`;

  it('passes promtool, and so do the rules', () => {
    const checked = promtool.run(['check', 'config', '--lint-fatal', 'prometheus.yml'], { cwd });
    expect(checked, checked.said).to.deep.include({ status: 0 });
    expect(checked.said).to.include(`${expressionsOfAlerts().length} rules found`);
  });

  it('of the machine with units passes it too, and has the same jobs at the ports of the units', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tagtrail-prometheus-'));
    for (const file of ['systemd/prometheus.yml', 'prometheus/alerts.yml']) {
      cpSync(join(DEPLOY, file), join(folder, basename(file)));
    }
    const checked = promtool.run(['check', 'config', '--lint-fatal', 'prometheus.yml'], { cwd: folder });
    rmSync(folder, { recursive: true });
    expect(checked, checked.said).to.deep.include({ status: 0 });
    const { scrape_configs: jobs } = readYaml('systemd/prometheus.yml') as { scrape_configs: StaticJob[] };
    expect(jobs.map(({ job_name: name }) => name)).to.have.members(
      (readYaml('prometheus/prometheus.yml') as { scrape_configs: StaticJob[] }).scrape_configs.map(
        ({ job_name: name }) => name,
      ),
    );
    for (const { job_name: name, static_configs: configs } of jobs.filter(
      ({ job_name }) => job_name !== 'machine',
    )) {
      const service = name.replace(/^tagtrail-/, '').replace(/^ingest$/, 'mqtt-ingest');
      const unit = readDeployed(`systemd/tagtrail-${service}@.service`);
      const [, prefix] = /^Environment=[A-Z]+_PORT=(\d+)%i$/m.exec(unit) ?? [];
      for (const target of configs.flatMap(({ targets }) => targets)) {
        expect(target, name).to.match(new RegExp(`^127\\.0\\.0\\.1:${prefix}[12]$`));
      }
    }
  });

  itByNight('raises every alert for its cause, and none in an ordinary hour', () => {
    const tested = promtool.run(['test', 'rules', 'alerts.test.yml'], { cwd });
    expect(tested, tested.said).to.deep.include({ status: 0 });
    const tests = readDeployed('prometheus/alerts.test.yml');
    for (const { alert } of alerts()) {
      expect(tests).to.include(alert);
    }
  });

  it('says of every alert how urgent it is, and where the runbook has it', () => {
    for (const { alert, labels, annotations } of alerts()) {
      expect(labels.severity, alert).to.be.oneOf(['page', 'ticket']);
      expect(annotations.summary, alert).to.be.a('string').and.not.equal('');
      expect(annotations.runbook).to.equal(`deploy/operate.md#${alert.toLowerCase()}`);
    }
  });

  it('and the dashboard of Grafana ask what Prometheus understands', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tagtrail-rules-'));
    const rules = expressionsOfDashboard().map((expr, index) => ({ record: `panel:${index}`, expr }));
    expect(rules).to.have.length.above(30);
    writeFileSync(join(folder, 'rules.yml'), stringify({ groups: [{ name: 'dashboard', rules }] }));
    const checked = promtool.run(['check', 'rules', 'rules.yml'], { cwd: folder });
    rmSync(folder, { recursive: true });
    expect(checked, checked.said).to.deep.include({ status: 0 });
  });
});

interface StaticJob {
  job_name: string;
  static_configs: { targets: string[] }[];
}

interface Alert {
  alert: string;
  labels: { severity: string };
  annotations: { summary: string; runbook: string };
}

function alerts(): Alert[] {
  const { groups } = readYaml('prometheus/alerts.yml') as { groups: { rules: Alert[] }[] };
  return groups.flatMap(({ rules }) => rules);
}
