import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type HostCli, RESTRICTED } from '../host/host-cli.ts'
import { machineAddress } from '../host/machine-address.ts'
import type { TestServer } from './database-server.ts'
import { startPostgres } from './start-postgres.ts'

/** PostgreSQL on this machine for planes of a host namespace, which has the Secret of its owner. */
export interface HostDatabase extends AsyncDisposable {
  server: TestServer
  namespace: string
  /** A spec with this database. */
  spec: string
}

/** Starts PostgreSQL where pods of the lab reach it, and makes a namespace that admits only restricted pods. */
export async function startHostDatabase(cli: HostCli): Promise<HostDatabase> {
  await cli.lab.loadKineImage()
  const address = machineAddress(cli.lab.kubeconfig)
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await startPostgres({ address }))
  const namespace = await cli.makeNamespace(RESTRICTED)
  await cli.host(['create', '--namespace', namespace, '--filename', '-'], ownerSecret(server))
  const spec = join(dirname(cli.kubeconfig), 'database.json')
  const postgres = { host: address, port: server.port, credentialsSecret: 'owner' }
  writeFileSync(spec, JSON.stringify({ store: { kine: { postgres } } }))
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
