/** As the server folds text that is searched, nearly: whatever the case, and however letters are composed. */
export function folded(text: string): string {
  return text.normalize('NFKC').toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}
