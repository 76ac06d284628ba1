import { PassThrough } from 'node:stream'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import type {
  Databases,
  ReplaceableData,
} from '../../../../src/database/dialect/database-dialect.ts'
import type { PlaneDatabase } from '../../../../src/database/dialect/plane-database.ts'
import type { KubernetesContext } from '../../../../src/drivers/kubernetes/context/context.ts'
import { RELAY_ANSWER } from '../../../../src/manifests/database/relay-pod.ts'
import { VplaneError } from '../../../../src/shared/errors.ts'
import type { KubeObject } from '../../../../src/shared/kube/kube-object.ts'
import { FakeCluster } from '../fake-cluster.ts'

/** A spec with a database, for whose owner `team-a` has a Secret. */
export const DATABASE_SPEC: UserSpec = {
  store: { kine: { postgres: { host: 'db.test', credentialsSecret: 'owner' } } },
}
export const OWNER = { username: 'root', password: 'hush-owner', 'ca.crt': 'the CA' }
export const OWNER_PATH = '/api/v1/namespaces/team-a/secrets/owner'
export const RELAY = 'vplane-dev-database'

/** A host in which pods of vplane run that are of no workload. */
export function databaseHost(owner: Record<string, string> | undefined) {
  const created: string[] = []
  const cluster: FakeCluster = new FakeCluster({
    onChange: ({ object, path, type }) => {
      if (object.kind === 'Pod' && type === 'ADDED') {
        created.push(String(object.metadata.name))
      }
      if (object.metadata.name === RELAY && object['status'] === undefined && type === 'ADDED') {
        const containerStatuses = [{ name: 'relay', state: { running: {} } }]
        cluster.api.put(path, { ...object, status: { phase: 'Running', containerStatuses } })
      }
    },
  })
  cluster.forward = () => {
    const stream = new PassThrough()
    stream.write(RELAY_ANSWER.connected)
    return Promise.resolve(stream)
  }
  if (owner !== undefined) {
    cluster.api.put(OWNER_PATH, secretOf(owner))
  }
  const server = new FakeServer()
  const context: KubernetesContext = cluster.driverContext({ databases: server })
  return { cluster, context, created, server }
}

/** A server of databases that notes what it is asked for. */
class FakeServer implements Databases {
  readonly accounts: object[] = []
  readonly ensured: PlaneDatabase[] = []
  readonly dropped: PlaneDatabase[] = []
  isDown = false
  rows = true
  /** Whether another has a database of the name. */
  hasForeign = false
  onDrop = () => {}
  /** What was done to the data, in its order. */
  readonly done: string[] = []
  /** Called with each of these. */
  onData: (action: string) => void = () => {}

  open: Databases['open'] = async (facts, { certificateAuthority: ca, dial, password, user }) => {
    await dial?.()
    if (this.isDown) {
      throw new VplaneError('UNREACHABLE', 'cannot connect to PostgreSQL')
    }
    this.accounts.push({ user, password, ca })
    return {
      ensure: () => {
        this.ensured.push(facts)
        return Promise.resolve([])
      },
      drop: async () => {
        this.dropped.push(facts)
        this.onDrop()
        return { hasForeign: this.hasForeign }
      },
      data: this.#data,
      [Symbol.asyncDispose]: () => Promise.resolve(),
    }
  }

  /** The name of the former data. */
  #former: string | undefined
  readonly #data: ReplaceableData = {
    load: async (rows) => {
      const names = (await Array.fromAsync(rows)).map(({ name }) => name)
      this.#note(`load ${names.join()}`)
    },
    exchange: async (former) => {
      this.#note(`exchange ${former}`)
      this.#former = former
    },
    putBack: async (former) => {
      this.#note(`put back ${former}`)
      return this.#former === former
    },
    dropFormer: async (former) => this.#note(`drop ${former}`),
  }

  #note(action: string): void {
    this.done.push(action)
    this.onData(action)
  }

  hasRows: Databases['hasRows'] = async (_, { dial }) => {
    await dial?.()
    return this.rows
  }
}

export function secretOf(texts: Record<string, string>): KubeObject {
  const metadata = { name: 'owner', namespace: 'team-a' }
  const entries = Object.entries(texts).map(([key, text]) => [key, btoa(text)])
  return { apiVersion: 'v1', kind: 'Secret', metadata, data: Object.fromEntries(entries) }
}
