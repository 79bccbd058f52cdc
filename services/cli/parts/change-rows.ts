import { writeJson } from '../../../base/json/json-text.ts';
import { wireTime } from '../../../base/timestamps.ts';
import type { LoggedChange } from '../../../domain/changes/list-changes.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { listTable } from '../command-line/list-table.ts';

export function changesTable(changes: readonly LoggedChange[]): string {
  return listTable(
    ['at', 'action', 'what', 'by', 'change', 'request'],
    changes.map((change) => [
      wireTime(change.at),
      change.action,
      `${change.resource_type} ${change.external_key ?? change.resource_id}`,
      `${change.actor_type} ${change.actor_id}`,
      forTerminal(differencesOf(change), MOST_SHOWN),
      change.request_id ?? '-',
    ]),
  ).join('\n');
}

/** UTF-16 units; `--json` has all. */
const MOST_SHOWN = 300;

/** `name "Dock" -> "Dock 2", is_active true -> false`. */
function differencesOf({ before, after }: LoggedChange): string {
  const [was, is] = [valuesIn(before), valuesIn(after)];
  return Object.keys({ ...was, ...is })
    .map((name) => {
      const [from, to] = [was[name], is[name]].map((value) => writeJson(value) as string | undefined);
      return from === undefined ? `${name} ${to}` : `${name} ${from} -> ${to ?? 'null'}`;
    })
    .join(', ');
}

function valuesIn(json: string | null): Record<string, unknown> {
  return json === null ? {} : JSON.parse(json);
}
