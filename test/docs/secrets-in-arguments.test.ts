import { expect } from 'chai';
import { credentialsText } from '../../services/standalone/welcome.ts';
import { runCommand } from '../support/command-line.ts';
import { commandBlocks, documents } from './command-blocks.ts';

/** What is no program of its own, so that nobody sees its arguments. */
const OF_THE_SHELL = ['echo', 'printf', 'export', 'for', 'alias', '[', 'cd', 'exit'];

const SECRET = '\\w*(?:PASSWORD|KEY|TOKEN|SECRET)';

describe('the commands that the documents show', () => {
  for (const document of documents()) {
    const blocks = commandBlocks(document);
    if (blocks.length > 0) {
      it(`give no program a password, key or token as an argument, which every user can read: ${document}`, () => {
        const text = blocks.map(({ commands }) => commands).join('\n');
        expect(shownBy(text)).to.deep.equal([]);
      });
    }
  }

  it('would be found if they did', () => {
    for (const command of [
      'npx mqtt pub -u reader-1 -P $PASSWORD -t a',
      'mosquitto_sub --username consumer-1 --pw "its password"',
      'npx --no -- tagtrail database copy --to "postgres://tagtrail:$POSTGRES_PASSWORD@127.0.0.1/tagtrail"',
      'npx --no -- tagtrail database copy --to postgres://tagtrail:secret@127.0.0.1/tagtrail',
      'auth="Authorization: Bearer $KEY"; curl -H "$auth" http://127.0.0.1',
      'curl -u ann:secret http://127.0.0.1',
      'sed -i "s/^MQTT_PASSWORD=.*/MQTT_PASSWORD=$(openssl rand -hex 24)/" .env',
      'A=b node client.ts --key $KEY',
      'echo x && simulate --api http://127.0.0.1 --key tt_1',
      'docker run --env DATABASE_PASSWORD=secret tagtrail',
    ]) {
      expect(shownBy(command), command).to.have.length(1);
    }
  });

  it('may have a secret where its owner alone sees it', () => {
    for (const command of [
      'MQTT_PASSWORD=$PASSWORD node docs/mqtt.mjs pub -t a',
      'echo "Authorization: Bearer $KEY" > ~/.tagtrail-key',
      'auth=@$HOME/.tagtrail-key; curl -H "$auth" http://127.0.0.1',
      'export KEY=$KEY',
      'curl -d \'{"external_key":"A"}\' http://127.0.0.1/KEY',
      'cat <<END\nnode client.ts --key $KEY\nEND',
      "node -p 'KEY'",
    ]) {
      expect(shownBy(command), command).to.deep.equal([]);
    }
  });

  it('include the examples of the command line’s own help', async () => {
    const { stdout } = await runCommand(['database', 'copy', '--help'], {});
    const [, example = ''] = /Example.*:\n {2}(.*)\n/.exec(stdout) ?? [];
    expect(example).to.include('database copy --to');
    expect(shownBy(example)).to.deep.equal([]);
  });

  it('include what npm start prints to try with the first key', () => {
    const urls = { apiUrl: 'http://127.0.0.1:8080' };
    const config = { DATABASE_URL: 'postgres://tagtrail:secret@db/tagtrail', TAGTRAIL_DATA: './data' };
    const credentials = {
      organization: 'Mine',
      orgId: 1,
      apiKey: 'tt_1',
      handheldToken: 'th_1',
      nextReaderId: 1,
    };
    const [, commands = ''] = credentialsText(urls, config, credentials).split('Try it:');
    expect(commands).to.match(/tt_1.*curl/);
    expect(shownBy(commands)).to.deep.equal([]);
  });
});

/** The commands that would show a secret to whoever lists processes. */
function shownBy(text: string): string[] {
  const secret = new Set<string>();
  return simpleCommands(text)
    .filter((command) => {
      const [, assignments = '', rest = ''] =
        /^((?:\w+=(?:"[^"]*"|'[^']*'|[^\s"'])*\s*)*)(.*)$/s.exec(command) ?? [];
      for (const [, name = '', value = ''] of assignments.matchAll(/(\w+)=("[^"]*"|'[^']*'|\S*)/g)) {
        // A variable that a secret was put into is one, whatever its name.
        if (rest === '' && hasSecret(value, secret)) {
          secret.add(name);
        }
      }
      const [program = ''] = rest.split(/\s/, 1);
      return !OF_THE_SHELL.includes(program) && hasSecret(rest, secret);
    })
    .map((command) => command.replaceAll(/\s+/g, ' '));
}

function hasSecret(words: string, variables: ReadonlySet<string>): boolean {
  const names = [SECRET, ...variables].join('|');
  return [
    new RegExp(`\\$\\{?(?:${names})\\b`),
    new RegExp(`(?<![\\w^])${SECRET}=(?:[^.\\s'"$]|\\$\\()`),
    /\s(?:-P|--pw|--password|--key|--token)[ =](?!\.\.\.)\S/,
    /\s(?:-u|--user)[ =]\S+:\S/,
    /\w:\/\/[^\s/:@]+:[^\s/@]+@/,
  ].some((pattern) => pattern.test(words));
}

/**
 * The commands of a script, one by one, without the operators between them: enough of a shell's grammar for what documents
 * show. Quotes keep what is in them together; here-documents and comments are left out.
 */
function simpleCommands(script: string): string[] {
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
