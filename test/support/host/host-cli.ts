import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { type Lab, startLab } from '../../lab/lab.ts'
import { type Cli, createCli } from '../cli/cli.ts'

/** Labels of a namespace that admits only restricted pods. */
export const RESTRICTED = { 'pod-security.kubernetes.io/enforce': 'restricted' }

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
  /** The same, of JSON. */
  hostJson(args: readonly string[]): Promise<ReturnType<JSON['parse']>>
  /** Those of some rights, `list pods`, that the host grants, to whom flags name. */
  granted(rights: readonly string[], flags: readonly string[]): Promise<string[]>
}

/** @param options `lab`: by default the one that all files of tests share */
export async function createHostCli({ lab }: { lab?: Lab } = {}): Promise<HostCli> {
  await using stack = new AsyncDisposableStack()
  const cluster = lab ?? stack.use(await startLab())
  const cli = stack.use(await createCli())
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
  const granted = async (rights: readonly string[], flags: readonly string[]) => {
    const found: string[] = []
    for (const right of rights) {
      const asking = cluster.kubectl(['auth', 'can-i', ...right.split(' '), ...flags])
      await asking.then(
        () => found.push(right),
        () => {},
      )
    }
    return found
  }
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
    hostJson: async (args) => JSON.parse(await cluster.kubectl([...args, '--output', 'json'])),
    granted,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
