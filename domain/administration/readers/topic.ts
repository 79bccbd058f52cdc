/**
 * MQTT topics and topic filters: levels between slashes, `+` for any one level, a final `#` for any number of
 * levels, including none. A filter that starts with a wildcard does not match topics that start with `$`
 * (MQTT 3.1.1 section 4.7).
 */

/** Bytes and levels of newly registered topics. */
export const LONGEST_TOPIC = 512;
const MOST_LEVELS = 32;

/** Reason `filter` cannot become a reader's topic, or null. */
export function faultOfNewTopic(filter: string): string | null {
  if (Buffer.byteLength(filter) > LONGEST_TOPIC) {
    return `must have 1 to ${LONGEST_TOPIC} bytes`;
  }
  return levelsOf(filter) > MOST_LEVELS
    ? `must have at most ${MOST_LEVELS} levels`
    : faultOfTopicFilter(filter);
}

/** Reason `filter` is no topic filter, or null. */
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

export function levelsOf(filter: string): number {
  return filter.split('/').length;
}

export function topicMatches(filter: string, topic: string): boolean {
  if (!isWildcard(filter)) {
    return filter === topic;
  }
  return !topic.startsWith('$') && topicsOverlap(filter, topic);
}

/** Whether some topic matches both filters. Takes time linear in their common beginning. */
export function topicsOverlap(a: string, b: string): boolean {
  for (let [atA, atB] = [0, 0]; ; ) {
    const [endA, endB] = [endOfLevel(a, atA), endOfLevel(b, atB)];
    const [levelA, levelB] = [a.slice(atA, endA), b.slice(atB, endB)];
    if (levelA === '#' || levelB === '#') {
      return true;
    }
    if (levelA !== levelB && levelA !== '+' && levelB !== '+') {
      return false;
    }
    if (endA === a.length || endB === b.length) {
      const rest = a.slice(endA) + b.slice(endB);
      return rest === '' || rest === '/#';
    }
    [atA, atB] = [endA + 1, endB + 1];
  }
}

/**
 * The levels before the first wildcard, one more each time: '', `a` and `a/b` for `a/b` and `a/b/+`. If two filters
 * overlap, one has the other's last beginning among its own. At most {@link LONGEST_TOPIC} characters: older topics,
 * and those of strangers, may be longer.
 */
export function fixedBeginnings(filter: string): string[] {
  const beginning = Array.from(filter.slice(0, 2 * LONGEST_TOPIC))
    .slice(0, LONGEST_TOPIC)
    .join('');
  const levels = beginning.split('/');
  const wildcard = levels.findIndex(isWildcard);
  const fixed = wildcard === -1 ? levels : levels.slice(0, wildcard);
  return ['', ...fixed.map((_, at) => fixed.slice(0, at + 1).join('/'))];
}

function endOfLevel(filter: string, at: number): number {
  const end = filter.indexOf('/', at);
  return end === -1 ? filter.length : end;
}

/** The path to which a reader pushes over HTTP. */
export function pushPath(readerId: number | string): string {
  return `/readers/v1/${readerId}`;
}
