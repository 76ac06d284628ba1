import { type DataAtServer, dataAtServer } from '../../../database/data-at-server.ts'
import type { PlaneDatabase } from '../../../database/dialect/plane-database.ts'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import type { Host, KubernetesContext } from '../context/context.ts'
import type { PlacedName } from '../context/object-names.ts'
import { openServer } from '../database/open-server.ts'
import type { Journal } from '../record/journal.ts'

/** The data of kine of a plane, and new data that can replace it. What is interrupted can be called again. */
export interface KineData extends DataAtServer, AsyncDisposable {}

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
  { journal, ...options }: DatabaseOptions,
): KineData {
  const data = dataAtServer(() => openServer(context, { ...options, record: journal.record }))
  return { ...data, [Symbol.asyncDispose]: () => Promise.resolve() }
}
