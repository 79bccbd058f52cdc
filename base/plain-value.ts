/**
 * The value of a code as scanners that type give it: of GS1's element strings without what tells their parts apart, FNC1 (as
 * a group separator between them, or as the code's kind in front), which no tag's value can have.
 */
export function plainValue(code: string): string {
  return code.replace(/^\](?:C1|d2|Q3|e0|J1)/, '').replaceAll('\u001d', '');
}
