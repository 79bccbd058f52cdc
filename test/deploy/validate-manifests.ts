import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/**
 * Prints what is wrong with the Kubernetes objects (a JSON array on standard input), by the schemas that Kubernetes
 * publishes: a line for each fault. A process of its own, because the library defines globals.
 */
const require = createRequire(import.meta.url);

for (const object of JSON.parse(readFileSync(0, 'utf8'))) {
  const Model = require(`kubernetes-models/${object.apiVersion}/${object.kind}`)[object.kind];
  try {
    new Model(object).validate();
  } catch (error) {
    process.stdout.write(`${object.kind} ${object.metadata.name}: ${error}\n`);
  }
}
