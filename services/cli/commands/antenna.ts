import { InvalidArgumentError, Option } from 'commander';
import { heardEverywhere } from '../../../base/heard-everywhere.ts';
import {
  type AntennaSettings,
  HEIGHT_M,
  OFFSET_DB,
  portOf,
  removeAntenna,
  setAntenna,
} from '../../../domain/administration/readers/set-antenna.ts';
import { MOST_PORT } from '../../../domain/formats/mapping/acceptance.ts';
import { isRadioStrength } from '../../../domain/tracking/rssi.ts';
import { addCommand, type Command, examples, id, wholeNumber } from '../command-line/command-line.ts';
import { forTerminal } from '../command-line/for-terminal.ts';
import { withConnections } from '../connections/database.ts';

interface Options {
  reader: number;
  port?: number;
  name?: string;
  location?: string;
  minRssi?: number | 'none';
  enable?: true;
  disable?: true;
  offsetDb?: number;
  heightM?: number;
}

export function addAntenna(program: Command): void {
  addAntennaSet(program);
  addAntennaRemove(program);
}

function addAntennaSet(program: Command): void {
  addCommand(program, 'antenna', 'set')
    .description('Say where an antenna is and which of its reads count. Omitted options keep their values.')
    .requiredOption('--reader <id>', 'its reader', id)
    .option('--port <port>', 'its port on the reader', wholeNumber(1, MOST_PORT))
    .option('--name <name>', 'its name, as the reader sends it; with --port either finds it')
    .option('--location <key>', 'the external key of its location, or none')
    .option('--min-rssi <dBm>', 'weaker reads do not count; none removes the bound', asDbm)
    .addOption(new Option('--enable', 'its reads count again').conflicts('disable'))
    .addOption(new Option('--disable', 'its reads do not count'))
    .option(
      '--offset-db <dB>',
      'taken off each level where strength or position decides (0 at first)',
      within(OFFSET_DB, 'dB, such as 3'),
    )
    .option(
      '--height-m <metres>',
      'its height above the tags, for position (1 at first)',
      within(HEIGHT_M, 'metres, such as 2.4'),
    )
    .addHelpText(
      ...examples(
        'antenna set --reader 1 --port 2 --location DOCK-2 --min-rssi -65',
        'antenna set --reader 1 --name yard-left --location YARD',
        'antenna set --reader 1 --port 2 --location none',
        'antenna set --reader 1 --port 2 --offset-db 3 --height-m 2.4',
      ),
    )
    .prints(async (options: Options) => {
      const { reader: readerId, port, name, location, minRssi, enable, disable, offsetDb, heightM } = options;
      const antenna = await withConnections(({ db, actor }) =>
        setAntenna(db, actor, {
          readerId,
          ...{ port, name },
          ...(location === undefined ? {} : { locationExternalKey: location === 'none' ? null : location }),
          ...(minRssi === undefined ? {} : { minRssi: minRssi === 'none' ? null : minRssi }),
          ...(enable === true || disable === true ? { isEnabled: enable === true } : {}),
          ...(offsetDb === undefined ? {} : { offsetDb }),
          ...(heightM === undefined ? {} : { heightM }),
        }),
      );
      await heardEverywhere();
      return {
        json: {
          reader_id: antenna.readerId,
          created: antenna.isNew,
          port: portOf(antenna),
          name: antenna.name,
          location_external_key: antenna.locationExternalKey,
          min_rssi: antenna.minRssi,
          enabled: antenna.isEnabled,
          offset_db: antenna.offsetDb,
          height_m: antenna.heightM,
        },
        text: sayChanged(antenna),
      };
    });
}

function sayChanged(antenna: AntennaSettings): string {
  const { isNew, isEnabled, locationExternalKey: location, minRssi, offsetDb, heightM } = antenna;
  return [
    `${isNew ? 'New antenna' : 'Antenna'} ${sayAntenna(antenna)} of reader ${antenna.readerId}: ${isEnabled ? 'enabled' : 'disabled'}`,
    location === null ? 'at no location' : `at ${location}`,
    ...(minRssi === null ? [] : [`reads from ${minRssi} dBm`]),
    `${offsetDb} dB off its levels`,
    `${heightM} m above the tags`,
  ].join(', ');
}

function addAntennaRemove(program: Command): void {
  addCommand(program, 'antenna', 'remove')
    .description(
      'Remove an antenna, such as one that was typed wrongly. Its past reads stay; later ones have no location.',
    )
    .requiredOption('--reader <id>', 'its reader', id)
    .option('--port <port>', 'its port on the reader', wholeNumber(1, MOST_PORT))
    .option('--name <name>', 'its name, as the reader sends it')
    .addHelpText(...examples('antenna remove --reader 1 --port 9'))
    .prints(async (options: Pick<Options, 'reader' | 'port' | 'name'>) => {
      const { reader: readerId, port, name } = options;
      await withConnections(({ db, actor }) => removeAntenna(db, actor, { readerId, port, name }));
      await heardEverywhere();
      return {
        json: { reader_id: readerId, port: port ?? null, name: name ?? null },
        text: `Antenna ${forTerminal(name ?? String(port))} of reader ${readerId} is removed`,
      };
    });
}

/** `3`, `yard-left`, or `yard-left (port 3)`. */
function sayAntenna(antenna: Pick<AntennaSettings, 'number' | 'name' | 'devicePort'>): string {
  const port = portOf(antenna);
  const name = forTerminal(antenna.name ?? '');
  return name === '' ? String(port) : port === null ? name : `${name} (port ${port})`;
}

/** @param unit such as `dB`, with an example. */
function within({ min, max }: { min: number; max: number }, unit: string): (text: string) => number {
  return (text) => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    if (!(value >= min && value <= max)) {
      throw new InvalidArgumentError(`It must be from ${min} to ${max} ${unit}.`);
    }
    return value;
  };
}

function asDbm(text: string): number | 'none' {
  if (text === 'none') {
    return text;
  }
  const dBm = text.trim() === '' ? Number.NaN : Number(text);
  if (!isRadioStrength(dBm)) {
    throw new InvalidArgumentError('It must be more than -150 and less than 0 dBm, such as -65, or none.');
  }
  return dBm;
}
