import { type ParseArgsConfig, parseArgs } from 'node:util';

/**
 * The options typed after `npm run COMMAND --`. Asked for `--help`, prints them with their defaults and ends the process;
 * so it does, with 2, after a wrong one.
 */
export function typedOptions<const Config extends ParseArgsConfig>(command: string, config: Config) {
  const options: NonNullable<ParseArgsConfig['options']> = {
    ...config.options,
    help: { type: 'boolean', default: false },
  };
  try {
    const { values }: { values: { help?: unknown } } = parseArgs({ ...config, options });
    if (values.help !== true) {
      return parseArgs(config);
    }
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage(command, config)}`);
    process.exit(2);
  }
  console.log(usage(command, config));
  process.exit();
}

function usage(command: string, { options = {}, allowPositionals = false }: ParseArgsConfig): string {
  return [
    `npm run ${command} -- [OPTIONS]${allowPositionals ? ' [PATTERN]' : ''}`,
    '',
    ...Object.entries(options).map(([name, { type, default: usual }]) =>
      `  --${name}${type === 'boolean' ? '' : ` ${usual ?? '...'}`}`.trimEnd(),
    ),
  ].join('\n');
}
