import { componentsOf } from '../../../control-plane/plane/plane.ts'
import { type LeaveRequest, moveOf } from '../../../control-plane/driver/plane-moves.ts'
import { fieldAt } from '../../../shared/json-fields.ts'
import { secretKeyOf } from '../../../manifests/pod-files.ts'
import { ETCD_CLIENT_NAMES } from '../../../pki/plane/etcd-pki.ts'
import type { Host, KubernetesContext, PlaneOperation } from '../context/context.ts'
import { waitForEtcd } from '../etcd/wait-for-etcd.ts'
import type { Journal } from '../record/journal.ts'
import type { PlacedName } from '../context/object-names.ts'
import { readSecrets } from '../objects/plane-keys.ts'
import { holdPlane } from '../record/hold-plane.ts'
import { scaleWorkload } from '../workloads/scale-workload.ts'
import { stopComponents } from '../workloads/stop-components.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'

/**
 * Fences a plane, transfers its data while only etcd runs, and stops etcd. The fence is the record, and that
 * kube-apiserver has no certificate for etcd any more: its pods never start, even if another client scales it up.
 *
 * @throws {VplaneError} `FAILED` when it is half created, half restored or half deleted.
 */
export async function leavePlane(
  context: KubernetesContext,
  { hasBegun, id, operation, place, to, transfer }: LeaveRequest & PlaneOperation,
): Promise<void> {
  const host = await context.host()
  const options = { place, id, operation: 'move', now: context.now } as const
  await using held = await holdPlane(host, options, operation)
  const { journal } = held
  const former = journal.record.movingTo?.handedTo
  if (former === undefined || !(await hasBegun(former))) {
    operation.ui.step(`Fencing "${place.name}"`)
    const move = moveOf(journal.record, to)
    await journal.step('fencing', { desired: 'paused', movingTo: move })
    await fence(host.api, journal, { place, operation })
    await waitForEtcd(context, host, { place, id, operation })
    await journal.step('transferring its data')
    await transfer((handedTo, handed) =>
      journal.step('handed over', { movingTo: { ...move, handedTo, handed } }),
    )
  }
  await stopComponents(host.api, journal, { place, components: ['etcd'], operation })
  await journal.finish()
}

/** Removes the certificate first: a pod that another client creates while others end must not get it. */
async function fence(
  api: Host['api'],
  journal: Journal,
  { operation, place }: Pick<PlaneOperation, 'operation' | 'place'>,
): Promise<void> {
  const { signal } = operation
  const { record } = journal
  await removeEtcdClient(api, place, signal)
  const components = componentsOf(record.spec).filter((component) => component !== 'etcd')
  await stopComponents(api, journal, { place, components, operation })
  // etcd of a paused plane does not run.
  await scaleWorkload(api, record, { place, component: 'etcd', signal })
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
