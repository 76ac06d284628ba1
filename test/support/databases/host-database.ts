import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type HostCli, RESTRICTED } from '../host/host-cli.ts'
import { machineAddress } from '../host/machine-address.ts'
import type { DatabaseKind } from '../../../src/control-plane/store/store.ts'
import type { TestServer } from './database-server.ts'
import { startMariaDb } from './start-mariadb.ts'
import { startPostgres } from './start-postgres.ts'

/** A server on this machine for planes of a host namespace, which has the Secret of its owner. */
export interface HostDatabase extends AsyncDisposable {
  server: TestServer
  namespace: string
  /** A spec with this database. */
  spec: string
}

/** Starts a server where pods of the lab reach it, and makes a namespace that admits only restricted pods. */
export async function startHostDatabase(
  cli: HostCli,
  kind: DatabaseKind = 'postgres',
): Promise<HostDatabase> {
  await cli.lab.loadKineImage()
  const address = machineAddress(cli.lab.kubeconfig)
  await using stack = new AsyncDisposableStack()
  const start = kind === 'mysql' ? startMariaDb : startPostgres
  const server = stack.use(await start({ address }))
  const namespace = await cli.makeNamespace(RESTRICTED)
  await cli.host(['create', '--namespace', namespace, '--filename', '-'], ownerSecret(server))
  const spec = join(dirname(cli.kubeconfig), 'database.json')
  const wanted = { host: address, port: server.port, credentialsSecret: 'owner' }
  writeFileSync(spec, JSON.stringify({ store: { kine: { [kind]: wanted } } }))
  const owned = stack.move()
  return { server, namespace, spec, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

function ownerSecret({ files: { ca, owner } }: TestServer): object {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'owner' },
    type: 'kubernetes.io/basic-auth',
    stringData: {
      username: owner.user,
      password: owner.password,
      'ca.crt': readFileSync(ca, 'utf8'),
    },
  }
}
