/** A move that there would be no more, or that there is not now. */
export interface ShownMove {
  change: 'disappears' | 'appears';
  asset_external_key: string;
  observed_at: string;
  from_location_external_key: string;
  to_location_external_key: string;
}

/** Numbers of moves. */
export interface Totals {
  present: number;
  proposed: number;
  disappearing: number;
  appearing: number;
}

/** On what was tried. */
interface Ground {
  orgId: number;
  from: string;
  to: string;
}

interface Printer {
  move(move: ShownMove): void;
  end(totals: Totals, ground: Ground): void;
}

/** Prints a trial of smoothing as it goes: one JSON document, or lines for a person. */
export function printerOf(isJson: boolean): Printer {
  return isJson ? jsonPrinter() : linePrinter();
}

function jsonPrinter(): Printer {
  let separator = '{"moves":[';
  return {
    move: (move) => {
      process.stdout.write(`${separator}${JSON.stringify(move)}`);
      separator = ',\n';
    },
    end: (totals, { orgId, from, to }) => {
      const rest = JSON.stringify({ org_id: orgId, from, to, ...totals });
      process.stdout.write(`${separator === ',\n' ? '' : separator}],${rest.slice(1)}\n`);
    },
  };
}

function linePrinter(): Printer {
  const WORDS = { disappears: 'would disappear', appears: 'would appear' };
  return {
    move: (move) => {
      const places = `${move.from_location_external_key} -> ${move.to_location_external_key}`;
      process.stdout.write(
        `${WORDS[move.change].padEnd(15)}  ${move.observed_at}  ${move.asset_external_key}  ${places}\n`,
      );
    },
    end: ({ present, proposed, disappearing, appearing }, { from, to }) => {
      process.stdout.write(
        `From ${from} to ${to}: ${present} moves now, ${disappearing} would disappear, ${appearing} would appear ` +
          `(most of them later forms of one that disappears), ${proposed} would remain. Nothing was changed.\n`,
      );
    },
  };
}
