/**
 * MQTT topics and topic filters: levels between slashes, `+` for any one level, a final `#` for any number of
 * levels, including none. A filter that starts with a wildcard does not match topics that start with `$`
 * (MQTT 3.1.1 section 4.7).
 */

/** Reason `filter` cannot be a reader's topic, or null. */
export function faultOfTopicFilter(filter: string): string | null {
  if (filter === '' || Buffer.byteLength(filter) > 65_535) {
    return 'must have 1 to 65535 bytes';
  }
  if (filter.includes('\0')) {
    return 'must not contain the character U+0000';
  }
  if (filter.startsWith('$')) {
    return 'must not start with $, which is reserved to the broker';
  }
  const levels = filter.split('/');
  if (levels.some((level) => level.length > 1 && /[+#]/.test(level))) {
    return 'may have + and # only as a whole level';
  }
  if (levels.slice(0, -1).includes('#')) {
    return 'may have # only as its last level';
  }
  return null;
}

export function isWildcard(filter: string): boolean {
  return /[+#]/.test(filter);
}

export function topicMatches(filter: string, topic: string): boolean {
  if (!isWildcard(filter)) {
    return filter === topic;
  }
  return !topic.startsWith('$') && overlap(filter.split('/'), topic.split('/'));
}

export function topicsOverlap(a: string, b: string): boolean {
  return overlap(a.split('/'), b.split('/'));
}

function overlap([a, ...restOfA]: string[], [b, ...restOfB]: string[]): boolean {
  if (a === '#' || b === '#' || (a === undefined && b === undefined)) {
    return true;
  }
  if (a === undefined || b === undefined) {
    return false;
  }
  return (a === b || a === '+' || b === '+') && overlap(restOfA, restOfB);
}
