import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Operation } from '../../../control-plane/driver/operation.ts'
import type { RestoreRequest } from '../../../control-plane/driver/requests.ts'
import { bumpAbove } from '../../../control-plane/components/arguments/restore-arguments.ts'
import { helperImageOf } from '../../../control-plane/spec/helper-image.ts'
import { componentsOf } from '../../../control-plane/plane/plane.ts'
import { latestRevision } from '../../../etcd/status/member-status.ts'
import { RESTORED_ANNOTATION } from '../../../manifests/object-names.ts'
import { memberName } from '../../../manifests/pod-layout.ts'
import { type PodRestore, withRestore } from '../../../manifests/restore/with-restore.ts'
import { compactTime } from '../../../shared/text/compact-time.ts'
import { waitFor } from '../../../shared/wait.ts'
import { etcdObjects } from '../objects/etcd-objects.ts'
import { restoredPods } from '../observed/is-rolled.ts'
import { observeEtcd } from '../etcd/observe-etcd.ts'
import { applyObjects } from '../host/apply-objects.ts'
import { storedKeys } from '../objects/stored-keys.ts'
import type { Host, KubernetesContext } from '../context/context.ts'
import type { Journal } from '../record/journal.ts'
import { type PlacedName, syncedSelector } from '../context/object-names.ts'
import { collectionPath, objectPath } from '../../../shared/kube/collections.ts'
import type { HostApi } from '../host/host-api.ts'
import { checkImages } from './check-images.ts'
import type { PlaneRecord, RestoredPods } from '../record/plane-record.ts'
import { hostedEtcd } from '../etcd/hosted-etcd.ts'
import { holdPlane, refuseHalfDeleted } from '../record/hold-plane.ts'
import { repairPlane } from '../maintain/repair-plane.ts'
import { stopComponents } from '../workloads/stop-components.ts'
import { replicasOf, scaledTo, workloadPath } from '../observed/workloads.ts'
import { replaceStranded } from './replace-stranded.ts'
import { sendSnapshot } from './send-snapshot.ts'
import { waitForEtcd } from '../etcd/wait-for-etcd.ts'

/** How long the host may take to look at a StatefulSet that was changed, in milliseconds. */
const SEEN_MS = 30_000

export interface RestoreOptions {
  place: PlacedName
  id: string
  request: RestoreRequest
  operation: Operation
}

/**
 * Stops a plane, lets the pods of its etcd make their data of a snapshot, and starts the plane of that. The volumes keep
 * the data from before, beside the new one. One that was cut off goes on when it is called again.
 *
 * @throws {VplaneError} what `checkImages` throws, before anything is stopped; `COMPONENT_FAILED` when the pods of etcd
 * cannot run or refuse the snapshot, `TIMED_OUT`.
 */
export async function restorePlane(
  context: KubernetesContext,
  { id, operation, place, request }: RestoreOptions,
): Promise<void> {
  const host = await context.host()
  const { api } = host
  const { now } = context
  const { signal, ui } = operation
  const held = { place, id, operation: 'restore', now } as const
  await using hold = await holdPlane(host, held, operation)
  const { journal } = hold
  refuseHalfDeleted(journal.record)
  const described = await describe(request)
  const helperImage = request.helperImage ?? helperImageOf(journal.record.spec)
  // Before anything is stopped: without them there would be no way back.
  const { statefulSet } = etcdObjects({
    files: await storedKeys(api, place, signal),
    journal,
    place,
  })
  await checkImages(host, { place, statefulSet, helperImage, operation })
  const revisionFloor = bumpOf(journal.record, { ...described, revision: request.revision })
  // Who was cut off may have moved the data from before there already: what lies in its place is not that.
  const former = journal.record.restoring?.former ?? `etcd-before-${compactTime(now())}`
  const { sha256 } = described
  const restoring = { ...journal.record.restoring, former, sha256 }
  const begun = { desired: 'running', idleSince: undefined, regaining: undefined } as const
  await journal.step('stopping', { ...begun, restoring, revisionFloor })
  const components = componentsOf(journal.record.spec)
  await stopComponents(api, journal, { place, components, operation, keepPods: true })

  await markClaims(api, { place, at: restoring.former, signal })
  await replaceStranded(host, journal, { place, operation })

  ui.step('Making its data of the snapshot')
  const restore = { ...restoring, ...described, bump: revisionFloor, helperImage }
  await journal.step('making data of a snapshot')
  await applyEtcd(api, journal, { place, restore, signal })
  const members = replicasOf(journal.record, 'etcd')
  await api.patch(workloadPath(place, 'etcd'), scaledTo(members), { type: 'merge', signal })
  for (let ordinal = 0; ordinal < members; ordinal += 1) {
    const pod = memberName(place.name, ordinal)
    await sendSnapshot(context, host, { place, id, pod, file: request.file, operation })
  }
  const settle = async () => {
    const connect = () => hostedEtcd(host, place, signal)
    const latest = await latestRevision(connect, { known: revisionFloor, signal })
    const hasData = { hasData: true, restoring: undefined, revisionFloor: latest }
    await applyEtcd(api, { record: { ...journal.record, ...hasData } }, { place, signal })
    const pods = await restoredPodsOf(api, { place, signal })
    await journal.step('starting', { ...hasData, restoredPods: pods })
  }
  if (request.untilSound !== undefined) {
    await waitForEtcd(context, host, { place, id, operation })
    await request.untilSound()
    await settle()
  }
  ui.step(`Starting Kubernetes ${journal.record.spec.version}`)
  await repairPlane(api, journal, { place, now, signal })
  await request.untilAnswers()
  await settle()
  await journal.finish()
}

/**
 * By how much revisions are raised: above all that clients may have seen, those of restores that were cut off included.
 * Where such a one is gone on with, members that have their data keep it, so that others get the same.
 */
function bumpOf(
  { restoring, revisionFloor = 0, spec }: PlaneRecord,
  { revision, sha256 }: { revision: number; sha256: string },
): number {
  const isGoneOnWith = restoring?.sha256 === sha256 && !spec.ephemeral
  return isGoneOnWith ? revisionFloor : bumpAbove(revisionFloor, revision)
}

async function describe({
  file,
}: RestoreRequest): Promise<Pick<PodRestore, 'sha256' | 'sizeBytes'>> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return { sha256: hash.digest('hex'), sizeBytes: (await stat(file)).size }
}

/**
 * Marks the host claims of a plane's pods as older than its data is to be: those that the restored plane does not know were
 * made after the snapshot, and nobody has deleted them. Its syncer must not run.
 */
async function markClaims(
  api: Pick<HostApi, 'list' | 'patch'>,
  { at, place, signal }: { at: string; place: PlacedName; signal: AbortSignal },
): Promise<void> {
  const { name: plane, namespace } = place
  const path = collectionPath('persistentvolumeclaims', namespace)
  const { items } = await api.list(path, { labelSelector: syncedSelector(plane), signal })
  const mark = { metadata: { annotations: { [RESTORED_ANNOTATION]: at } } }
  await Promise.all(
    items.map(({ metadata: { name = '' } }) =>
      api.patch(objectPath('persistentvolumeclaims', { name, namespace }), mark, {
        type: 'merge',
        signal,
      }),
    ),
  )
}

/** Its pods stay as they are when only the words for the next ones change: etcd's are replaced by vplane alone. */
async function applyEtcd(
  api: Host['api'],
  { record }: Pick<Journal, 'record'>,
  { place, restore, signal }: { place: PlacedName; restore?: PodRestore; signal: AbortSignal },
): Promise<void> {
  const files = await storedKeys(api, place, signal)
  const { configuration, statefulSet } = etcdObjects({ files, journal: { record }, place })
  const { etcdMembers, id, spec } = record
  const podPlace = { ...place, id, spec, etcdMembers, initialState: 'existing' } as const
  const etcd = restore === undefined ? statefulSet : withRestore(statefulSet, podPlace, restore)
  await applyObjects(api, [...configuration, etcd], signal)
}

/** Once the host has seen that the template of etcd is the ordinary one again. */
async function restoredPodsOf(
  api: Host['api'],
  { place, signal }: { place: PlacedName; signal: AbortSignal },
): Promise<RestoredPods | undefined> {
  const { pods, statefulSet } = await waitFor((deadline) => observeEtcd(api, place, deadline), {
    what: 'the host to see its StatefulSet',
    timeoutMs: SEEN_MS,
    signal,
  })
  return restoredPods(statefulSet, pods)
}
