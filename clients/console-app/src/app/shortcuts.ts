/**
 * Keys that work wherever nothing is being typed, or with Ctrl (on a Mac Command) everywhere, and no dialog is open.
 *
 * @returns what ends it.
 */
export function onKey(key: string, act: () => void, { isWithCtrl = false } = {}): () => void {
  const listen = (event: KeyboardEvent) => {
    const isOther = event.key !== key || (event.ctrlKey || event.metaKey) !== isWithCtrl || event.altKey;
    if (isOther || event.defaultPrevented || (!isWithCtrl && isTyping(event.target)) || isBehindDialog()) {
      return;
    }
    event.preventDefault();
    act();
  };
  document.addEventListener('keydown', listen);
  return () => document.removeEventListener('keydown', listen);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      target.matches('textarea, select, input:not([type=checkbox], [type=radio], [type=button])'))
  );
}

function isBehindDialog(): boolean {
  return document.querySelector('dialog:modal') !== null;
}
