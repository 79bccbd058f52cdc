import { escaped, htmlOf, type Letter } from './letter.ts';

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
