/** Arrow keys, Home and End among the rows' links of a table. */
export function moveFocus(event: KeyboardEvent & { currentTarget: HTMLElement }): void {
  const links = [...event.currentTarget.querySelectorAll<HTMLElement>('.row-link')];
  const at = links.indexOf(document.activeElement as HTMLElement);
  const to = at === -1 ? undefined : links[nextOf(event.key, at, links.length)];
  if (to !== undefined) {
    event.preventDefault();
    to.focus();
  }
}

function nextOf(key: string, at: number, count: number): number {
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return Math.min(at + 1, count - 1);
    case 'ArrowUp':
    case 'k':
      return Math.max(at - 1, 0);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return -1;
  }
}
