import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import type { Lab } from '../../lab/lab.ts'
import { startLab } from '../../lab/lab.ts'
import { type Cli, type CliOptions, createCli } from '../machine/cli.ts'

/**
 * vplane as a user of a host cluster has it: a home of its own, whose kubeconfig leads to the lab. Its host namespaces go
 * with it, and so do its tunnels.
 */
export interface HostCli extends Cli {
  lab: Lab
  /** The name of a host namespace that nobody has; it is not made. */
  newNamespace(): string
  /** Makes a host namespace, and returns its name. */
  makeNamespace(labels?: Record<string, string>): Promise<string>
  /** Runs kubectl on the host cluster as its administrator, which must end well, and returns what it printed. */
  host(args: readonly string[], input?: object): Promise<string>
}

export interface HostCliOptions extends CliOptions {
  /** @default the one that all files of tests share */
  lab?: Lab
}

export async function createHostCli({ lab, ...options }: HostCliOptions = {}): Promise<HostCli> {
  await using stack = new AsyncDisposableStack()
  const cluster = lab ?? stack.use(await startLab())
  const cli = stack.use(await createCli(options))
  writeFileSync(cli.kubeconfig, cluster.kubeconfig, { mode: 0o600 })
  const namespaces: string[] = []
  const newNamespace = () => {
    const name = `e2e-${randomBytes(4).toString('hex')}`
    namespaces.push(name)
    return name
  }
  stack.defer(async () => {
    const flags = ['--ignore-not-found', '--wait=false']
    if (namespaces.length > 0) {
      await cluster.kubectl(['delete', 'namespace', ...namespaces, ...flags])
    }
  })
  const owned = stack.move()
  return {
    ...cli,
    lab: cluster,
    newNamespace,
    makeNamespace: async (labels = {}) => {
      const name = newNamespace()
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } }
      await cluster.kubectl(['create', '--filename', '-'], JSON.stringify(namespace))
      // What the host makes in each namespace is there before anybody looks what is.
      for (const made of ['serviceaccount/default', 'configmap/kube-root-ca.crt']) {
        await cluster.kubectl(['wait', made, '--namespace', name, '--for=create', '--timeout=60s'])
      }
      return name
    },
    host: (args, input) =>
      cluster.kubectl(args, input === undefined ? undefined : JSON.stringify(input)),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
