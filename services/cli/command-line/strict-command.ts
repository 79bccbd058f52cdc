import { Command } from 'commander';

/**
 * Never takes an option for another one's value: in `--name --json` the name is missing. A value that begins with two
 * dashes is written `--name=--json`; one dash is fine (`--min-rssi -65`).
 */
export class StrictCommand extends Command {
  override createCommand(name?: string): Command {
    return new StrictCommand(name);
  }

  override parseOptions(args: string[]): ReturnType<Command['parseOptions']> {
    const given = new Set<string>();
    for (let at = 0; at < args.length && args[at] !== '--'; at++) {
      const [word = ''] = args[at]?.startsWith('--') === true ? (args[at] ?? '').split('=') : [args[at]];
      const option = this.options.find((each) => each.long === word || each.short === word);
      if (option === undefined) {
        continue;
      }
      if (given.has(option.attributeName()) && option.required && !option.variadic) {
        this.error(`error: option '${option.flags}' is given twice`);
      }
      given.add(option.attributeName());
      if (option.required && args[at] === word) {
        at += 1;
        const value = args[at] ?? '';
        if (value.startsWith('--')) {
          this.error(
            `error: option '${option.flags}' argument missing: ${value} is an option itself ` +
              `(a value that begins so is written ${word}=${value})`,
          );
        }
      }
    }
    return super.parseOptions(args);
  }
}
