export interface Letter {
  subject: string;
  text: string;
  /** The same. */
  html: string;
}

/** Characters of a subject: longer ones are cut off by the programs that show them. */
const SUBJECT = 150;

/** One line, whatever a name holds. */
export function subjectOf(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim();
  const characters = [...line];
  return characters.length <= SUBJECT ? line : `${characters.slice(0, SUBJECT - 1).join('')}…`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text as HTML that shows just that. */
export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

/** Whole HTML of an e-mail; programs that show it know few styles, and many have a dark scheme of their own. */
export function htmlOf(body: string): string {
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"></head>',
    '<body style="font-family: system-ui, -apple-system, Segoe UI, sans-serif; font-size: 15px; line-height: 1.5">',
    body,
    '</body></html>',
  ].join('\n');
}

/** The letter of `mail test`. @param consoleUrl null if the console's address is not configured. */
export function testLetter(consoleUrl: string | null): Letter {
  const text =
    'This installation of tagtrail can send e-mail. Alerts go to the people whom their rules name.';
  const where = consoleUrl === null ? [] : [`Console: ${consoleUrl}`];
  return {
    subject: 'tagtrail can send e-mail',
    text: [text, ...where].join('\n\n'),
    html: htmlOf(
      [
        `<p>${text}</p>`,
        ...(consoleUrl === null ? [] : [`<p><a href="${escaped(consoleUrl)}">Console</a></p>`]),
      ].join('\n'),
    ),
  };
}
