import type { KineRow } from '../../../database/dialect/kine-row.ts'
import type { DatabaseServer, ReplaceableData } from '../../../database/dialect/database-dialect.ts'
import type { PlaneDatabase } from '../../../database/dialect/plane-database.ts'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import type { Host, KubernetesContext } from '../context/context.ts'
import type { PlacedName } from '../context/object-names.ts'
import { openRelay, toDatabase } from '../database/open-relay.ts'
import { databasesOf } from '../database/prepare-database.ts'
import { readOwner } from '../database/read-owner.ts'
import type { Journal } from '../record/journal.ts'

/** The data of kine of a plane, and new data that can replace it. What is interrupted can be called again. */
export interface KineData extends Omit<ReplaceableData, 'load'>, AsyncDisposable {
  /** Creates the new data beside that of the plane, which may run meanwhile. */
  load(rows: AsyncIterable<KineRow>): Promise<void>
  /** How texts name the former data. */
  describe(former: string): string
}

export interface KineDataOptions {
  place: PlacedName
  id: string
  journal: Journal
  helperImage: string
  operation: Operation
}

interface DatabaseOptions extends Omit<KineDataOptions, 'id'> {
  facts: PlaneDatabase
}

/** The data in a database. Each call has its own pod that connects to the server, so that none has to live for long. */
export function databaseData(
  context: Pick<KubernetesContext, 'databases'> & { host: Host },
  { facts, helperImage, journal, operation, place }: DatabaseOptions,
): KineData {
  const { host } = context
  const { signal } = operation
  const atServer = async <Result>(work: (server: DatabaseServer) => Promise<Result>) => {
    const databases = databasesOf(context, place)
    const owner = await readOwner(host.api, { ...facts, namespace: place.namespace, signal })
    const { record } = journal
    await using relay = await openRelay(host, {
      ...toDatabase(facts),
      place,
      record,
      helperImage,
      operation,
    })
    await using server = await databases.open(facts, { ...owner, dial: relay.dial })
    return await work(server)
  }
  return {
    load: (rows) =>
      atServer(async (server) => {
        // It may be lost.
        await server.ensure()
        await server.data.load(rows)
      }),
    exchange: (former) => atServer(({ data }) => data.exchange(former)),
    putBack: (former) => atServer(({ data }) => data.putBack(former)),
    dropFormer: (former) => atServer(({ data }) => data.dropFormer(former)),
    describe: (former) => `"${former}" in its database`,
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}
