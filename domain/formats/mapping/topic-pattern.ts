/**
 * Compiles an MQTT topic filter to a test of a topic's levels. Beyond MQTT, one `#` may stand anywhere, for
 * any number of levels: gateways put `LWT` behind a prefix that the site chooses, of any depth.
 *
 * @returns the fault, as text, of an invalid filter.
 */
export function compileTopicPattern(pattern: string): ((levels: readonly string[]) => boolean) | string {
  const parts = pattern.split('/');
  const many = parts.indexOf('#');
  if (parts.some((part) => part.length > 1 && /[#+]/.test(part))) {
    return 'has # or + within a level';
  }
  if (many === -1) {
    return (levels) => levels.length === parts.length && matches(parts, levels, 0);
  }
  if (parts.includes('#', many + 1)) {
    return 'has # more than once';
  }
  const front = parts.slice(0, many);
  const back = parts.slice(many + 1);
  return (levels) =>
    levels.length >= front.length + back.length &&
    matches(front, levels, 0) &&
    matches(back, levels, levels.length - back.length);
}

function matches(parts: readonly string[], levels: readonly string[], from: number): boolean {
  return parts.every((part, index) => part === '+' || part === levels[from + index]);
}
