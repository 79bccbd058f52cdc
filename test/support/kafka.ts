import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { certificate } from './certificates.ts';
import { freePort } from './free-port.ts';
import { until } from './subscribed-ingest.ts';

const POM = fileURLToPath(new URL('kafka-pom.xml', import.meta.url));
const JARS = fileURLToPath(new URL('../../.cache/kafka', import.meta.url));

/** A user at {@link KafkaNode.securePort}, by PLAIN or SCRAM-SHA-512. */
export const KAFKA_LOGIN = { username: 'tagtrail', password: 'p@ss word' };

/** Apache Kafka, one node in KRaft mode, from Maven; for suites that want `java` and `mvn`. */
export class KafkaNode {
  readonly port: number;
  /** For TLS and a login. */
  readonly securePort: number;
  readonly #folder: string;
  #child: ChildProcess | null = null;

  private constructor(folder: string, port: number, securePort: number) {
    this.#folder = folder;
    this.port = port;
    this.securePort = securePort;
  }

  static async start(): Promise<KafkaNode> {
    if (!existsSync(join(JARS, 'kafka_2.13-3.9.1.jar'))) {
      execFileSync('mvn', [
        '-q',
        '-B',
        '-f',
        POM,
        'dependency:copy-dependencies',
        `-DoutputDirectory=${JARS}`,
      ]);
    }
    const folder = mkdtempSync(join(tmpdir(), 'tagtrail-kafka-'));
    const [port, securePort, controllerPort] = [await freePort(), await freePort(), await freePort()];
    writeFileSync(
      join(folder, 'server.properties'),
      propertiesOf(folder, { port, securePort, controllerPort }),
    );
    const node = new KafkaNode(folder, port, securePort);
    const id = 'dGFndHJhaWwta2Fma2EtaQ';
    const { username, password } = KAFKA_LOGIN;
    const user = ['--add-scram', `SCRAM-SHA-512=[name=${username},password=${password}]`];
    execFileSync('java', node.#run('kafka.tools.StorageTool', 'format', '-t', id, ...user, '-c'), {
      stdio: 'ignore',
    });
    await node.begin();
    return node;
  }

  get url(): string {
    return `kafka://127.0.0.1:${this.port}`;
  }

  /** Resolves when it can be connected to. */
  async begin(): Promise<void> {
    this.#child = spawn('java', this.#run('kafka.Kafka'), { stdio: 'ignore' });
    await until(async () => {
      const socket = connect(this.port, '127.0.0.1');
      const isOpen = await once(socket, 'connect').then(
        () => true,
        () => false,
      );
      socket.destroy();
      return isOpen;
    });
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child !== null) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #run(...command: string[]): string[] {
    const settings = join(this.#folder, 'server.properties');
    return ['-Xmx256m', '-XX:TieredStopAtLevel=1', '-cp', join(JARS, '*'), ...command, settings];
  }
}

interface Ports {
  port: number;
  securePort: number;
  controllerPort: number;
}

function propertiesOf(folder: string, { port, securePort, controllerPort }: Ports): string {
  const { username, password } = KAFKA_LOGIN;
  const key = createPrivateKey(certificate('broker.key')).export({ type: 'pkcs8', format: 'pem' });
  const [chain, privateKey] = [certificate('broker.crt'), String(key)].map((pem) =>
    pem.trim().replaceAll('\n', '\\n'),
  );
  const [module, secure] = ['org.apache.kafka.common.security', 'listener.name.secure'];
  return `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${controllerPort}
listeners=PLAINTEXT://127.0.0.1:${port},SECURE://127.0.0.1:${securePort},CONTROLLER://127.0.0.1:${controllerPort}
controller.listener.names=CONTROLLER
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,SECURE:SASL_SSL
${secure}.ssl.keystore.type=PEM
${secure}.ssl.keystore.certificate.chain=${chain}
${secure}.ssl.keystore.key=${privateKey}
${secure}.sasl.enabled.mechanisms=PLAIN,SCRAM-SHA-512
${secure}.plain.sasl.jaas.config=${module}.plain.PlainLoginModule required user_${username}="${password}";
${secure}.scram-sha-512.sasl.jaas.config=${module}.scram.ScramLoginModule required;
log.dirs=${folder}/data
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
group.initial.rebalance.delay.ms=0
`;
}
