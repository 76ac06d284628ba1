import { type AnyComponentName, componentsOf } from '../../../control-plane/plane/plane.ts'
import { runsWhilePaused } from '../../../control-plane/plane/runs-while-paused.ts'
import type { MovablePlane } from '../../../control-plane/moves/movable-plane.ts'
import { dataFingerprint } from '../../../etcd/data/data-fingerprint.ts'
import { secretKeyOf } from '../../../manifests/pod-files.ts'
import { ETCD_CLIENT_NAMES, withEtcdClient } from '../../../pki/plane/etcd-pki.ts'
import { fieldAt } from '../../../shared/json-fields.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import type { KubernetesContext, PlaneOperation } from '../context/context.ts'
import type { PlacedName } from '../context/object-names.ts'
import { hostedEtcd } from '../etcd/hosted-etcd.ts'
import { waitForEtcd } from '../etcd/wait-for-etcd.ts'
import type { HostApi } from '../host/host-api.ts'
import { mayBeKept } from '../keeper/is-kept.ts'
import { restKeeper } from '../keeper/rest-keeper.ts'
import { applyKeys } from '../maintain/apply-keys.ts'
import { repairPlane } from '../maintain/repair-plane.ts'
import { readSecrets } from '../objects/plane-keys.ts'
import { storedKeys } from '../objects/stored-keys.ts'
import { holdPlane } from '../record/hold-plane.ts'
import { scaleWorkload } from '../workloads/scale-workload.ts'
import { stopComponents } from '../workloads/stop-components.ts'

/**
 * Holds a plane for a part of a move.
 *
 * @throws {VplaneError} `FAILED` when something else has to be finished first, and what `work` throws.
 */
export async function holdToMove<Result>(
  context: KubernetesContext,
  { id, kind, operation, place }: PlaneOperation & { kind: 'move' | 'restore' },
  work: (plane: MovablePlane) => Promise<Result>,
): Promise<Result> {
  const host = await context.host()
  const { api } = host
  const { now } = context
  const { signal } = operation
  await using held = await holdPlane(host, { place, id, operation: kind, now }, operation)
  const { journal } = held
  const stop = (isStopped: (component: AnyComponentName) => boolean) => {
    const components = componentsOf(journal.record.spec).filter(isStopped)
    return stopComponents(api, journal, { place, components, operation })
  }
  const scale = (component: AnyComponentName) =>
    scaleWorkload(api, journal.record, { place, component, signal })
  const result = await work({
    get record() {
      return journal.record
    },
    step: (step, changes) => journal.step(step, changes),
    removeEtcdClient: () => removeEtcdClient(api, place, signal),
    createEtcdClient: async () => {
      const files = await storedKeys(api, place, signal)
      const { record } = journal
      const { algorithm } = record.spec.pki
      const restored = withEtcdClient(files, { algorithm, now: now() })
      await applyKeys(api, { place, record, files: restored, signal })
    },
    startEtcd: async () => {
      await scale('etcd')
      await waitForEtcd(context, host, { place, id, operation })
    },
    stopOthers: () => stop((component) => component !== 'etcd'),
    stopEtcd: () => stop((component) => component === 'etcd'),
    pause: async () => {
      const { spec } = journal.record
      await stop((component) => !runsWhilePaused(spec, component))
      for (const component of componentsOf(spec).filter((one) => runsWhilePaused(spec, one))) {
        await scale(component)
      }
    },
    start: () => repairPlane(api, journal, { place, now, signal }),
    fingerprint: async () => dataFingerprint(await hostedEtcd(host, place, signal), signal),
  })
  if (journal.record.journal !== undefined) {
    await journal.finish()
  }
  if (mayBeKept(journal.record)) {
    await restKeeper(api, place.namespace, signal)
  }
  return result
}

/** Pods that mount kube-apiserver's certificate for etcd do not start without it. */
async function removeEtcdClient(
  api: Pick<HostApi, 'list' | 'patch'>,
  place: PlacedName,
  signal: AbortSignal,
): Promise<void> {
  for (const { data, metadata } of await readSecrets(api, place, signal)) {
    const keys = ETCD_CLIENT_NAMES.map(secretKeyOf).filter(
      (key) => fieldAt(data, key) !== undefined,
    )
    if (keys.length > 0) {
      const path = objectPath('secrets', { ...place, name: metadata.name ?? '' })
      const without = { data: Object.fromEntries(keys.map((key) => [key, null])) }
      await api.patch(path, without, { type: 'merge', signal })
    }
  }
}
