import { writeFile } from 'node:fs/promises'
import type { RestoreRequest } from '../../../../src/control-plane/driver/requests.ts'
import type { UserSpec } from '../../../../src/control-plane/spec/spec.ts'
import { createPlane } from '../../../../src/drivers/kubernetes/lifecycle/create-plane.ts'
import { restoreKine } from '../../../../src/drivers/kubernetes/restore/restore-kine.ts'
import { ETCD_CLIENT_FILES } from '../../../../src/etcd/etcd-connection.ts'
import { secretKeyOf } from '../../../../src/manifests/pod-files.ts'
import { ETCD_PORTS } from '../../../../src/manifests/ports.ts'
import { fieldAt } from '../../../../src/shared/json-fields.ts'
import { fakeStore } from '../../../etcd/fake-store.ts'
import { logicalBytes, logicalKeysOf } from '../../../support/data/logical-keys.ts'
import { temporaryFolder } from '../../../support/machine/temporary-folder.ts'
import { DATABASE_SPEC, databaseHost, OWNER } from '../database/database-host.ts'
import { requestFor } from '../fake-cluster.ts'

/** Those of a snapshot. */
export const KEYS = ['/registry/configmaps/default/a', '/registry/configmaps/default/b']
const POD = '/api/v1/namespaces/team-a/pods/vplane-dev-kine-0'
const IMAGE_CHECK = '/api/v1/namespaces/team-a/pods/vplane-dev-image-check'
export const SET = '/apis/apps/v1/namespaces/team-a/statefulsets/vplane-dev-kine'
export const SQLITE: UserSpec = { store: { kine: { sqlite: {} } } }

interface Given {
  spec?: UserSpec
  /** The keys of kine after the restore. @default those of the snapshot */
  found?: readonly string[]
  /** The file. @default a logical snapshot */
  bytes?: Buffer
  /** How many bytes at its end are missing. */
  cut?: number
  isDown?: boolean
  /** It waits for its data. @default it has data */
  isNew?: boolean
}

/** A plane with data, whose kine has some keys. */
export async function planeWithKine({ bytes, cut = 0, found = KEYS, isDown, isNew, spec }: Given) {
  const { cluster, context, server } = databaseHost(OWNER)
  const userSpec = spec ?? DATABASE_SPEC
  const awaits = isNew === true ? { awaitsRestore: { keys: {} } } : {}
  await createPlane(context, requestFor('dev', { userSpec, ...awaits }), cluster.operation())
  const hasData = { hasData: isNew !== true }
  const { id } = (await cluster.changeRecord('dev', hasData)).record
  const store = await fakeStore({ keys: found, isKine: true })
  trust(cluster.api.objects, store.connection)
  const toRelay = cluster.forward
  cluster.forward = (target, options) =>
    target.port === ETCD_PORTS.grpc
      ? store.connection.dial(options.signal, 'grpc')
      : toRelay(target, options)
  const done: Array<[action: string, pods: number]> = []
  server.onData = (action) => done.push([action, cluster.pods().length])
  server.isDown = isDown === true
  const templates: string[][] = []
  const { onChange } = cluster.api.hooks
  cluster.api.hooks.onChange = (event) => {
    onChange?.(event)
    const { object, path, type } = event
    if (path === IMAGE_CHECK && type === 'ADDED') {
      const containerStatuses = [
        { name: 'receive-snapshot', state: { terminated: { exitCode: 0 } } },
      ]
      cluster.api.objects.set(path, { ...object, status: { containerStatuses } })
    }
    if (path === SET) {
      const names = initContainersOf(object)
      if (templates.at(-1)?.join() !== names.join()) {
        templates.push(names)
      }
    }
    const pod = cluster.api.objects.get(POD)
    const names = initContainersOf(cluster.api.objects.get(SET))
    if (path === SET && pod !== undefined && names.length > 0) {
      const state = { terminated: { exitCode: 0 } }
      const initContainerStatuses = names.map((name) => ({ name, state }))
      cluster.api.put(POD, { ...pod, status: { ...Object(pod['status']), initContainerStatuses } })
    }
  }
  const restore = async (fields: Partial<RestoreRequest> = {}) => {
    await using folder = await temporaryFolder()
    const file = `${folder.path}/dev.snapshot`
    const whole =
      bytes ?? (await logicalBytes(logicalKeysOf(KEYS.map((key) => [key, `value of ${key}`]))))
    await writeFile(file, whole.subarray(0, whole.length - cut))
    const untilAnswers = () => Promise.resolve()
    await restoreKine(context, {
      place: { name: 'dev', namespace: 'team-a' },
      id,
      request: { file, from: '/its/name', revision: 0, keepFormer: false, untilAnswers, ...fields },
      operation: cluster.operation(),
    })
  }
  return { cluster, context, done, restore, server, templates }
}

function initContainersOf(workload: unknown): string[] {
  const found = fieldAt(workload, 'spec', 'template', 'spec', 'initContainers')
  return Array.isArray(found) ? found.map(({ name }) => String(name)) : []
}

/** Lets vplane connect to a store with other certificates than those of the plane. */
function trust(
  objects: Map<string, object>,
  connection: Record<keyof typeof ETCD_CLIENT_FILES, string>,
): void {
  for (const [path, object] of objects) {
    const data = { ...Object(fieldAt(object, 'data')) }
    for (const name of ['certificate', 'certificateAuthority', 'key'] as const) {
      const key = secretKeyOf(ETCD_CLIENT_FILES[name])
      if (key in data) {
        data[key] = btoa(connection[name])
      }
    }
    Object.assign(objects.get(path) ?? {}, path.includes('/secrets/') ? { data } : {})
  }
}
