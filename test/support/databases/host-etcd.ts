import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type HostCli, RESTRICTED } from '../host/host-cli.ts'
import { machineAddress } from '../host/machine-address.ts'
import { startEtcd, type TestEtcd } from './start-etcd.ts'

/** An etcd on this machine for planes of a host namespace, which has the Secrets of its owner. */
export interface HostEtcd extends AsyncDisposable {
  etcd: TestEtcd
  address: string
  namespace: string
  /** Writes a spec with this etcd, and returns its path. */
  spec: (shared: object, more?: object) => string
  /** Makes a Secret with the certificate of a user. */
  addUser: (user: string) => Promise<void>
}

/** Starts an etcd where pods of the lab reach it, and makes a namespace with the Secret `owner` of its root user. */
export async function startHostEtcd(cli: HostCli): Promise<HostEtcd> {
  const address = machineAddress(cli.lab.kubeconfig)
  await using stack = new AsyncDisposableStack()
  const etcd = stack.use(await startEtcd({ address }))
  const namespace = await cli.makeNamespace(RESTRICTED)
  const add = (name: string, data: object) =>
    cli.host(['create', '--namespace', namespace, '--filename', '-'], etcdSecret(name, data))
  const { root } = etcd.spec
  await add('owner', {
    ...userData(etcd, root),
    'client-ca.crt': text(root.clientCaFile),
    'client-ca.key': text(root.clientCaKeyFile),
  })
  const owned = stack.move()
  return {
    etcd,
    address,
    namespace,
    spec: (shared, more = {}) => {
      const path = join(dirname(cli.kubeconfig), 'shared.json')
      const { endpoints } = etcd.spec
      const store = { etcd: { shared: { endpoints, ...shared } } }
      writeFileSync(path, JSON.stringify({ store, ...more }))
      return path
    },
    addUser: async (user) => {
      await add(user, userData(etcd, etcd.certificateOf(user)))
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** What the Secret of a user has. */
export function userData(
  { spec: { caFile } }: Pick<TestEtcd, 'spec'>,
  { certificateFile, keyFile }: { certificateFile: string; keyFile: string },
): Record<string, string> {
  return { 'ca.crt': text(caFile), 'tls.crt': text(certificateFile), 'tls.key': text(keyFile) }
}

/** A Secret with files. */
function etcdSecret(name: string, stringData: object): object {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, type: 'Opaque', stringData }
}

function text(file: string): string {
  return readFileSync(file, 'utf8')
}
