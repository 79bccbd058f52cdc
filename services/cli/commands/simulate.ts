import { readFile, rm, writeFile } from 'node:fs/promises';
import { InvalidArgumentError } from 'commander';
import { AppError, messageOf } from '../../../base/errors.ts';
import { greatestOf } from '../../../base/extremes.ts';
import { table } from '../../../base/table.ts';
import { START, TAGTRAIL } from '../../../base/typed-command.ts';
import { withInterruption } from '../../../platform/runtime/interruption.ts';
import { ENCODERS, type EncoderName } from '../../../simulation/encoders/encoders.ts';
import { FAULTS } from '../../../simulation/faults.ts';
import type { TruthDocument } from '../../../simulation/truth/document.ts';
import {
  addTopCommand,
  type Command,
  type CommandResult,
  id,
  wholeNumber,
} from '../command-line/command-line.ts';
import { FAILED } from '../command-line/report-error.ts';
import { withConnections, withOrganization } from '../connections/database.ts';
import { FileFault } from '../files/read-file.ts';
import { secondsIn } from '../parts/duration.ts';
import { running, showProgress } from '../running/running.ts';
import { findBroker } from '../simulate/broker.ts';
import { allDifferences, type CheckResult, isAgreed } from '../simulate/check.ts';
import { checkInstallation } from '../simulate/check-installation.ts';
import { faultsOf, formatsOf, requirePossible, type SimulatePlan, watchPlan } from '../simulate/plan.ts';
import { type Simulated, simulate } from '../simulate/simulate.ts';

interface Options {
  org?: number;
  readers: number;
  assets: number;
  rate: number;
  duration?: number;
  format: string;
  faults: string;
  seed: number;
  speed: number;
  continuous?: number;
  hall: number;
  prefix: string;
  tolerance: number;
  truth: string;
  check?: string;
  wait: number;
  api?: string;
  key?: string;
}

export function addSimulate(program: Command): void {
  addTopCommand(program, 'simulate')
    .description(
      `Let a simulated site publish to MQTT_URL, or to the broker of a running ${START}, and write its truth to a file; or check an installation against that.`,
    )
    .option('--org <id>', 'the organization', id)
    .option('--readers <number>', 'how many readers', wholeNumber(1, 200), 6)
    .option('--assets <number>', 'how many assets', wholeNumber(1, 50_000), 100)
    .option('--rate <number>', 'reads a second', wholeNumber(1, 100_000), 50)
    .option('--duration <seconds>', 'how long; default: until Ctrl-C', wholeNumber(1, 604_800))
    .option(
      '--format <formats>',
      "the readers' formats, in turn: names of built-in formats, or mixed for all of them",
      'zebra-iotc,minew-json,impinj-r700',
    )
    .option('--faults <faults>', `the faults: none, all, or some of ${FAULTS.join(', ')}`, 'none')
    .option('--seed <number>', 'seed of the random events', wholeNumber(0, 4_294_967_295), 1)
    .option('--speed <factor>', 'how much faster time passes at the site', wholeNumber(1, 10_000), 1)
    .option(
      '--continuous <duration>',
      'watch the locations where assets stay continuously, with this gap: every present asset is read within a third of it',
      gap,
    )
    .option(
      '--hall <carts>',
      'a hall with six Bluetooth gateways and so many carts with beacons; strength decides there',
      wholeNumber(0, 100),
      0,
    )
    .option('--prefix <text>', 'prefix of keys and names', asPrefix, 'SIM-')
    .option('--tolerance <seconds>', 'see below', wholeNumber(0, 10), 2)
    .option('--truth <file>', 'the file for the truth, or none', 'simulation-truth.json')
    .option('--check <file>', 'simulate nothing: compare an installation with this truth')
    .option(
      '--wait <seconds>',
      'how long a check waits for the installation to catch up',
      wholeNumber(0, 3_600),
      0,
    )
    .option('--api <url>', 'the API for a check to ask instead of the database')
    .option('--key <key>', 'the API key for that; default: TAGTRAIL_API_KEY')
    .addHelpText('after', HELP)
    .prints((options: Options) =>
      options.check === undefined ? run(options) : compare(options.check, options),
    );
}

const HELP = `
The site has dock doors, aisles, packing lines and gates; pallets and cages, forklifts that carry them, and people who work
in shifts. Locations, assets with tags, and readers are registered in the organization, with the prefix. Assets and readers
of an earlier simulation with the same prefix are deleted first.

If MQTT_URL has no user name, every reader uses the login of its registration, as the embedded broker requires. A reader has
at most one fault, so small sites have no room for all faults.

Where messages have a usable time, the truth is exact to the millisecond. Where the time of reception counts
(openmqttgateway, a clock that is ahead), any time between sending and acknowledgement agrees, within the tolerance. Assets
whose order of reads remains open are named and not compared.

With --hall, carts with beacons move through three bays without walls. Every gateway hears every cart, with distance, shadows
and fading, and strength decides (${TAGTRAIL} locate). Wherever strength or position decides, the truth is computed from the
acknowledged reads, not from where the carts were.

A check also reads the move feed: applied from its first position, it must give the histories, without gaps, and times never
decrease along an asset.

With --continuous a check also compares the report of presence at twelve instants: nothing that was there may be overdue or
missing, what was stolen is overdue once it would have been read again, and what only a dead reader could see is unknown.
The run sets two rules, and the check compares their alerts in the same way.

JSON: what was published, and the truth: {version, org_id, run, assets, readers, presence}. With --check {assets, rows,
readers, events, site_changed, undecided, differences, feed_differences, presence, alerts}; exits with 1 if anything differs.
presence: {compared, states, thefts, differences}, alerts: {assets, readers, withdrawn, thefts, differences}; null without
--continuous. site_changed: whether location settings, plans or antennas changed after the run, so that histories may differ;
null with --api, as are the readers' counters.

Examples:
  ${TAGTRAIL} simulate --org 1 --readers 6 --assets 200 --rate 100 --duration 60 --faults all
  ${TAGTRAIL} simulate --org 1 --format mixed --readers 16 --duration 300 --truth truth.json
  ${TAGTRAIL} simulate --org 1 --continuous 30s --duration 180 --faults theft,dead-reader,night
  TAGTRAIL_API_KEY=tt_... ${TAGTRAIL} simulate --check truth.json --api http://127.0.0.1:8080`;

async function run(options: Options): Promise<CommandResult> {
  const plan = planOf(options);
  requirePossible(plan);
  const broker = await findBroker(running().env);
  const path = options.truth === 'none' ? null : options.truth;
  const file = path === null ? null : await openTruthFile(path);
  const progress = showProgress();
  const show = (text: string) => progress.show(text);
  let simulated: Simulated;
  try {
    simulated = await withInterruption((signal) =>
      withOrganization(plan.orgId, (db) =>
        withConnections(({ db: all, actor, pool }) =>
          simulate(plan, { db, all, actor, pool, broker, signal, show }),
        ),
      ),
    );
  } catch (error) {
    await file?.discard();
    throw error;
  } finally {
    progress.end();
  }
  await file?.write(simulated.truth);
  return { json: simulated.truth, text: simulatedText(simulated, path) };
}

async function compare(path: string, options: Options): Promise<CommandResult> {
  const truth = await readTruthFile(path);
  const key = options.key ?? running().env['TAGTRAIL_API_KEY'] ?? '';
  if (options.api !== undefined && key === '') {
    throw new AppError('invalid_input', '--api needs a --key, or TAGTRAIL_API_KEY');
  }
  const progress = showProgress();
  const result = await checkInstallation(truth, {
    orgId: options.org ?? truth.org_id,
    api: options.api === undefined ? null : { url: options.api, key },
    wait: options.wait,
    show: (text) => progress.show(text),
  }).finally(() => progress.end());
  running().status = isAgreed(result) ? 0 : FAILED;
  return { json: result, text: checkedText(result) };
}

/** @throws AppError `invalid_input` naming the option. */
function planOf(options: Options): SimulatePlan {
  const {
    org,
    readers,
    assets,
    rate,
    duration = null,
    speed,
    seed,
    prefix,
    tolerance,
    continuous,
    hall,
  } = options;
  const formats = formatsOf(options.format, speed);
  const faults = faultsOf(options.faults);
  if (org === undefined) {
    throw new AppError('invalid_input', '--org is needed: the organization that the site belongs to');
  }
  if (formats === null) {
    const all = Object.keys(ENCODERS) as EncoderName[];
    throw new AppError(
      'invalid_input',
      `--format must be mixed, or some of ${all.join(', ')}, separated by commas`,
    );
  }
  if (faults === null) {
    throw new AppError(
      'invalid_input',
      `--faults must be none, all, or some of ${FAULTS.join(', ')}, separated by commas`,
    );
  }
  return {
    ...{ orgId: org, readers, assets, rate, duration, formats, faults, speed, seed, prefix, tolerance },
    watch: continuous === undefined ? null : watchPlan(continuous),
    carts: hall,
  };
}

/** @returns seconds. */
function gap(text: string): number {
  const seconds = secondsIn(text);
  if (!(seconds >= 6 && seconds <= 86_400)) {
    throw new InvalidArgumentError('It must be a duration from 6s to 1d, such as 30s, 5m or 1h.');
  }
  return seconds;
}

function asPrefix(text: string): string {
  if (!/^[A-Za-z0-9-]{1,32}$/.test(text)) {
    throw new InvalidArgumentError('It must be 1 to 32 letters, digits and hyphens.');
  }
  return text;
}

interface TruthFile {
  write(truth: TruthDocument): Promise<void>;
  discard(): Promise<void>;
}

/**
 * Opens the file before the work, which would otherwise be in vain. @throws AppError `invalid_input` if it
 * cannot be written.
 */
async function openTruthFile(path: string): Promise<TruthFile> {
  const isNew = await readFile(path).then(
    () => false,
    () => true,
  );
  try {
    await writeFile(path, '', { flag: 'a' });
  } catch (error) {
    throw new AppError('invalid_input', `--truth cannot be written: ${messageOf(error)}`);
  }
  return {
    write: (truth) => writeFile(path, `${JSON.stringify(truth, null, 1)}\n`),
    discard: async () => {
      if (isNew) {
        await rm(path, { force: true });
      }
    },
  };
}

/** @throws FileFault unless written by a simulation. */
async function readTruthFile(path: string): Promise<TruthDocument> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new AppError('invalid_input', `--check cannot be read: ${messageOf(error)}`);
  }
  try {
    const truth = JSON.parse(text) as Partial<TruthDocument>;
    if (truth.version === 1 && Array.isArray(truth.assets) && Array.isArray(truth.readers)) {
      return truth as TruthDocument;
    }
  } catch {
    // Reported below.
  }
  throw new FileFault(`${path} is not the truth of a simulation, or comes from another version`);
}

function simulatedText({ progress, truth }: Simulated, truthFile: string | null): string {
  const { elapsed, messages, reads } = progress;
  const seen = truth.assets.filter(({ current }) => current !== null).length;
  const rows = truth.assets.reduce((sum, { history }) => sum + history.length, 0);
  const undecided = truth.assets.filter((asset) => asset.undecided !== null).length;
  return [
    ...table(
      ['reader', 'format', 'messages', 'reads', 'recorded', 'duplicates', 'unknown', 'unplaced', 'rejected'],
      truth.readers.map((reader) => [
        reader.reader,
        reader.format,
        ...[reader.messages, reader.reads, reader.recorded, reader.duplicates].map(String),
        ...[reader.unknown, reader.unplaced, reader.rejected].map(String),
      ]),
    ),
    '',
    `${count(reads)} reads in ${count(messages)} messages within ${Math.round(elapsed)} s: ${count(seen)} of ${count(truth.assets.length)} assets seen, ${count(rows)} rows of history`,
    ...(undecided === 0 ? [] : [`The truth of ${count(undecided)} assets cannot be decided.`]),
    ...(truthFile === null
      ? []
      : [`The truth is in ${truthFile}. Next: ${TAGTRAIL} simulate --check ${truthFile}`]),
  ].join('\n');
}

function checkedText(result: CheckResult): string {
  const { assets, rows, readers, events, undecided } = result;
  const all = allDifferences(result);
  const feed = events === null ? '' : `, ${count(events)} events of the move feed`;
  const compared = `${count(assets)} assets, ${count(rows)} rows of history, ${count(readers)} readers${feed}`;
  return [
    ...(all.length === 0
      ? []
      : [
          ...table(
            ['of', 'what', 'truth', 'answer'],
            all.slice(0, MOST_SHOWN).map(({ of, what, truth, answer }) => [of, what, truth, answer]),
          ),
          ...(all.length > MOST_SHOWN ? [`… and ${all.length - MOST_SHOWN} more`] : []),
          '',
        ]),
    ...(undecided.length === 0
      ? []
      : [`Not compared, because their truth is undecided: ${undecided.join(', ')}`]),
    ...(events === null ? ['Not compared, because its beginning is no longer kept: the move feed'] : []),
    ...siteLines(result),
    ...presenceLines(result),
    ...alertLines(result),
    `${compared}: ${all.length === 0 ? 'all agree' : `${count(all.length)} differences`}`,
  ].join('\n');
}

function alertLines({ alerts }: CheckResult): string[] {
  if (alerts === null) {
    return [];
  }
  const delays = alerts.thefts.flatMap(({ alerted_after_seconds: seconds }) => seconds ?? []);
  const thefts = delays.length === 0 ? '' : `; of thefts within ${Math.ceil(greatestOf(delays))} s`;
  return [
    `Alerts: ${count(alerts.assets)} about assets, ${count(alerts.readers)} about readers, ${count(alerts.withdrawn)} withdrawn${thefts}`,
  ];
}

function presenceLines({ presence }: CheckResult): string[] {
  if (presence === null) {
    return [];
  }
  const { compared, states, thefts } = presence;
  const each = Object.entries(states).map(([state, times]) => `${state} ${count(times)}`);
  const delays = thefts.flatMap(({ found_after_seconds: seconds }) => seconds ?? []);
  const found = delays.length === 0 ? '' : `, overdue within ${Math.ceil(greatestOf(delays))} s`;
  return [
    `Presence: ${count(compared)} states compared (right: ${each.join(', ')})`,
    ...(thefts.length === 0 ? [] : [`Thefts: ${delays.length} of ${thefts.length} found${found}`]),
  ];
}

/** A usual cause of many differences. */
function siteLines({ site_changed: isChanged, differences }: CheckResult): string[] {
  return isChanged === true && differences.length > 0
    ? [
        `What locations are decided by was changed after the run (${TAGTRAIL} locate list, plans, antennas): histories may differ. Simulate again.`,
      ]
    : [];
}

const MOST_SHOWN = 100;

function count(number: number): string {
  return number.toLocaleString('en-US');
}
