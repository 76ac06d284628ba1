import type { DatabaseServer } from '../../../database/dialect/database-dialect.ts'
import type { PlaneDatabase } from '../../../database/dialect/plane-database.ts'
import type { Host, KubernetesContext } from '../context/context.ts'
import { openRelay, type RelayPlace, toDatabase } from './open-relay.ts'
import { databasesOf } from './prepare-database.ts'
import { readOwner } from './read-owner.ts'

interface ServerOptions extends Pick<RelayPlace, 'helperImage' | 'operation' | 'place' | 'record'> {
  facts: PlaneDatabase
}

/**
 * Connects to the server of a plane's database as its owner, through a pod in the namespace of the plane.
 * @throws {VplaneError} `FAILED` when the owner's Secret is missing or not complete, what `openRelay` throws, and what the
 * server does.
 */
export async function openServer(
  context: Pick<KubernetesContext, 'databases'> & { host: Host },
  { facts, ...relayed }: ServerOptions,
): Promise<DatabaseServer> {
  const { host } = context
  const { operation, place } = relayed
  await using stack = new AsyncDisposableStack()
  const databases = databasesOf(context, place)
  const { namespace } = place
  const owner = await readOwner(host.api, { ...facts, namespace, signal: operation.signal })
  const relay = stack.use(await openRelay(host, { ...toDatabase(facts), ...relayed }))
  const server = stack.use(await databases.open(facts, { ...owner, dial: relay.dial }))
  const owned = stack.move()
  return {
    ensure: () => server.ensure(),
    drop: () => server.drop(),
    data: server.data,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}
