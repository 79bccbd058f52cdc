/**
 * The commands of a script, one by one, without the operators between them: enough of a shell's grammar for what documents
 * show. Quotes keep what is in them together; here-documents and comments are left out.
 */
export function simpleCommands(script: string): string[] {
  const text = script
    .replaceAll(/\\\n\s*/g, '')
    .replaceAll(/<<-?'?(\w+)'?(.*)\n[\s\S]*?^\1$/gm, '$2')
    .replaceAll(/(^|\s)#\s.*$/gm, '$1');
  const tokens = text.match(/'[^']*'|"(?:\\.|[^"\\])*"|\$\(|&&|\|\||[;|()\n]|[^'"$;|()&\n]+|./g) ?? [];
  const commands: string[] = [];
  let command = '';
  for (const token of tokens) {
    if (/^(?:&&|\|\||[;|()\n])$/.test(token)) {
      commands.push(command);
      command = '';
    } else {
      command += token;
    }
  }
  return [...commands, command]
    .map((each) => each.trim().replace(/^(?:do|then|else|!)\s+/, ''))
    .filter((each) => each !== '');
}
