import type { Change } from '../../api/types.ts';
import { texts } from '../../texts/texts.ts';

/** The actor: a person, a program by its key, a device, or somebody at the command line. */
export function actorWords({ type, id, name }: Change['actor']): string {
  const t = texts.value.changes;
  switch (type) {
    case 'user':
      return name ?? t.unknownUser;
    case 'key':
      return t.program(name ?? id);
    case 'handheld':
      return t.handheld(name ?? id);
    case 'command_line':
      return t.commandLine(id);
    default:
      return `${type} ${name ?? id}`;
  }
}

/** `asset PALLET-1` */
export function resourceWords({ type, id, external_key, name }: Change['resource']): string {
  const word = wordOf(texts.value.changes.resources, type);
  return `${word} ${external_key ?? name ?? id}`;
}

/** `created asset PALLET-1` */
export function deedWords({ action, resource }: Change): string {
  const { actions } = texts.value.changes;
  const what = resourceWords(resource);
  const say = Object.hasOwn(actions, action) ? actions[action as keyof typeof actions] : null;
  return say === null ? `${action}: ${what}` : say(what);
}

export function fieldWord(field: string): string {
  return wordOf(texts.value.changes.fields, field);
}

/** A newer server may know what this app has no word for. */
function wordOf(words: Readonly<Record<string, string>>, name: string): string {
  return Object.hasOwn(words, name) ? (words[name] ?? name) : name.replaceAll('_', ' ');
}
