import { parser } from '@prometheus-io/lezer-promql';
import { readDeployed, readYaml } from './folder.ts';

export function expressionsOfAlerts(): string[] {
  const { groups } = readYaml('prometheus/alerts.yml') as { groups: { rules: { expr: string }[] }[] };
  return groups.flatMap(({ rules }) => rules.map(({ expr }) => expr));
}

/** What the panels and annotations of the dashboard ask, with Grafana's interval filled in. */
export function expressionsOfDashboard(): string[] {
  const dashboard = JSON.parse(readDeployed('grafana/dashboards/tagtrail.json')) as {
    panels: { targets?: { expr: string }[] }[];
    annotations: { list: { expr: string }[] };
  };
  const asked = [...dashboard.panels.flatMap(({ targets = [] }) => targets), ...dashboard.annotations.list];
  return asked.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m'));
}

/** The metrics that an expression names. @throws if it is none. */
export function metricsOf(expression: string): string[] {
  const names: string[] = [];
  parser
    .configure({ strict: true })
    .parse(expression)
    .iterate({
      enter: ({ name, node }) => {
        // VectorSelector(Identifier, LabelMatchers)
        if (name === 'VectorSelector') {
          const identifier = node.getChild('Identifier');
          names.push(identifier === null ? '' : expression.slice(identifier.from, identifier.to));
        }
      },
    });
  return names;
}
