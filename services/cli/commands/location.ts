import { InvalidArgumentError, Option } from 'commander';
import { AppError } from '../../../base/errors.ts';
import { MICROS_PER_SECOND } from '../../../base/instant.ts';
import { requireLiveOrganization } from '../../../domain/administration/organizations/live-organization.ts';
import { setWatch } from '../../../domain/administration/watches/set-watch.ts';
import { listWatches, type StoredWatch } from '../../../domain/presence/coverage/stored-watches.ts';
import { COVERAGES, MAX_GAP, MODES, type Watch } from '../../../domain/presence/coverage/watches.ts';
import { addCommand, type Command, examples, id, oneOf } from '../command-line/command-line.ts';
import { shownTime } from '../command-line/instants.ts';
import { listTable } from '../command-line/list-table.ts';
import { withConnections } from '../connections/database.ts';
import { secondsIn } from '../parts/duration.ts';

interface Options {
  org: number;
  location?: string;
  mode?: Watch['mode'];
  maxGap?: number;
  coverage?: Watch['coverage'];
  list?: true;
}

export function addLocation(program: Command): void {
  addCommand(program, 'location', 'watch')
    .description(
      'Say whether assets only pass a location, or are read there again and again, so that unread ones are missed. ' +
        'It holds from now on and changes no earlier answer.',
    )
    .requiredOption('--org <id>', 'the organization', id)
    .option('--location <key>', 'the location, by its external key')
    .option(
      '--mode <mode>',
      'portal: assets pass; continuous: present assets are read again and again',
      oneOf(...MODES),
    )
    .option(
      '--max-gap <duration>',
      'the longest time between two reads of a present asset, such as 60s, 5m or 1h; default: learned from reads there, now and every six hours',
      maxGap,
    )
    .option('--coverage <all|any>', 'how many of its antennas must listen: all or any', oneOf(...COVERAGES))
    .addOption(
      new Option('--list', 'list locations with a setting').conflicts([
        'location',
        'mode',
        'maxGap',
        'coverage',
      ]),
    )
    .addHelpText(
      ...examples(
        'location watch --org 1 --location COLD-ROOM --mode continuous --max-gap 60s',
        'location watch --org 1 --list',
      ),
    )
    .prints((options: Options) => (options.list === true ? list(options) : set(options)));
}

async function set(options: Options) {
  const { org: orgId, location, mode, maxGap: gap = null, coverage = 'all' } = options;
  if (location === undefined || mode === undefined) {
    throw new AppError('invalid_input', 'Give --location and --mode, or --list');
  }
  const watch = await withConnections(({ db, actor }) =>
    setWatch(db, actor, { orgId, locationExternalKey: location, mode, maxGap: gap, coverage }),
  );
  return {
    json: { org_id: orgId, location_external_key: location, ...watchRow(watch) },
    text: `${location}: ${sayWatch(watch)}; from ${shownTime(watch.valid_from)} on`,
  };
}

async function list(options: Options) {
  const watches = await withConnections(async ({ db }) => {
    await requireLiveOrganization(db, options.org);
    return listWatches(db, options.org);
  });
  return {
    json: watches.map((watch) => ({
      location_external_key: watch.location_external_key,
      ...watchRow(watch),
    })),
    text:
      watches.length === 0
        ? 'none; every location is a portal'
        : listTable(
            ['location', 'since', 'watched'],
            watches.map((watch) => [
              watch.location_external_key,
              shownTime(watch.valid_from),
              sayWatch(watch),
            ]),
          ).join('\n'),
  };
}

function maxGap(text: string): number {
  const micros = secondsIn(text) * MICROS_PER_SECOND;
  if (!(micros >= MAX_GAP.least && micros <= MAX_GAP.most)) {
    throw new InvalidArgumentError('It must be a duration from 1s to 1d, such as 60s, 5m or 1h.');
  }
  return micros;
}

function watchRow(watch: StoredWatch) {
  return {
    mode: watch.mode,
    max_gap_seconds: watch.max_gap_seconds,
    is_learned: watch.is_learned,
    coverage: watch.coverage,
    valid_from: shownTime(watch.valid_from),
  };
}

function sayWatch({ mode, max_gap_seconds, is_learned, coverage }: StoredWatch): string {
  if (mode === 'portal') {
    return 'portal, things pass';
  }
  const readers = coverage === 'all' ? 'while all its antennas listen' : 'while any of its antennas listens';
  if (max_gap_seconds === null) {
    return `continuous, ${readers}; too few reads there to learn how often, so nothing becomes overdue`;
  }
  return `continuous, read again within ${max_gap_seconds} s${is_learned ? ' (learned)' : ''} ${readers}`;
}
