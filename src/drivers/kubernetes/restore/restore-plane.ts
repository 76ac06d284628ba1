import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { RestoreRequest } from '../../../control-plane/driver/requests.ts'
import { revisionAbove } from '../../../control-plane/components/arguments/restore-arguments.ts'
import { helperImageOf } from '../../../control-plane/spec/resolve-host-spec.ts'
import { snapshotRevision } from '../../../etcd/data/snapshot-revision.ts'
import { latestRevision } from '../../../etcd/status/member-status.ts'
import { memberName } from '../../../manifests/pod-layout.ts'
import { type PodRestore, withRestore } from '../../../manifests/restore/with-restore.ts'
import { compactTime } from '../../../shared/text/compact-time.ts'
import { waitFor } from '../../../shared/wait.ts'
import { storeObjects } from '../objects/store-objects.ts'
import { restoredPods } from '../observed/is-rolled.ts'
import { observeEtcd } from '../etcd/observe-etcd.ts'
import { applyObjects } from '../host/apply-objects.ts'
import { storedKeys } from '../objects/stored-keys.ts'
import type { Host, KubernetesContext, PlaneOperation } from '../context/context.ts'
import type { Journal } from '../record/journal.ts'
import type { PlacedName } from '../context/object-names.ts'
import { checkImages } from './check-images.ts'
import { replaceStranded } from './replace-stranded.ts'
import type { PlaneRecord, RestoredPods } from '../record/plane-record.ts'
import { hostedEtcd } from '../etcd/hosted-etcd.ts'
import { holdPlane } from '../record/hold-plane.ts'
import { repairPlane } from '../maintain/repair-plane.ts'
import { replicasOf, scaledTo, workloadPath } from '../observed/workloads.ts'
import { sendSnapshot } from './send-snapshot.ts'
import { stopForRestore } from './stop-for-restore.ts'
import { waitForEtcd } from '../etcd/wait-for-etcd.ts'

/** How long the host may take to observe a change of a StatefulSet, in milliseconds. */
const OBSERVED_MS = 30_000

/**
 * Stops a plane, lets the pods of its etcd create their data from a snapshot, and starts the plane with that data. The
 * volumes retain the former data beside the new data. A second call continues an interrupted restore.
 *
 * @throws {VplaneError} what `checkImages` throws, before anything is stopped; `COMPONENT_FAILED` when the pods of etcd
 * cannot run or refuse the snapshot, `TIMED_OUT`.
 */
export async function restorePlane(
  context: KubernetesContext,
  { id, operation, place, request }: PlaneOperation & { request: RestoreRequest },
): Promise<void> {
  const host = await context.host()
  const { api } = host
  const { now } = context
  const { signal, ui } = operation
  const held = { place, id, operation: 'restore', now } as const
  await using hold = await holdPlane(host, held, operation)
  const { journal } = hold
  const helperImage = request.helperImage ?? helperImageOf(journal.record.spec)
  // Checked before anything is stopped: without its images the plane could not start again.
  const { statefulSet } = storeObjects({
    files: await storedKeys(api, place, signal),
    journal,
    place,
  })
  await checkImages(host, { place, component: 'etcd', statefulSet, helperImage, operation })
  const { contained, sha256, sizeBytes } = await describe(request)
  const known = { contained, sha256, revision: request.revision }
  const { bump, revisionFloor } = revisionsOf(journal.record, known)
  // An interrupted restore may have moved the former data there already: the current data is not the former one.
  const former = journal.record.restoring?.former ?? `etcd-before-${compactTime(now())}`
  const { from } = request
  const restoring = { ...journal.record.restoring, former, from, sha256, bump }
  const begun = { desired: 'running', idleSince: undefined, regaining: undefined } as const
  await journal.step('stopping', { ...begun, restoring, revisionFloor })
  await stopForRestore(api, journal, { place, store: 'etcd', former, operation })
  await replaceStranded(host, journal, { place, component: 'etcd', operation })

  ui.step('Restoring its data from the snapshot')
  const restore = { ...restoring, sizeBytes, helperImage }
  await journal.step('making data of a snapshot')
  await applyEtcd(api, journal, { place, restore, signal })
  const members = replicasOf(journal.record, 'etcd')
  await api.patch(workloadPath(place, 'etcd'), scaledTo(members), { type: 'merge', signal })
  for (let ordinal = 0; ordinal < members; ordinal += 1) {
    const pod = memberName(place.name, ordinal)
    const sent = { component: 'etcd', pod, file: request.file } as const
    await sendSnapshot(context, host, { place, id, operation, ...sent })
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
 * Returns from which revision the plane continues: above all that clients may have read, also from interrupted restores.
 * A continued restore uses the same values, because members that have their data keep it, and the others need the same;
 * vplane 0.1.0 recorded only the floor, which it added.
 */
function revisionsOf(
  { restoring, revisionFloor = 0, spec }: PlaneRecord,
  { contained, revision, sha256 }: { contained: number; revision: number; sha256: string },
): { bump: number; revisionFloor: number } {
  if (restoring?.sha256 === sha256 && !spec.ephemeral) {
    return { bump: restoring.bump ?? revisionFloor, revisionFloor }
  }
  const floor = revisionAbove(revisionFloor, revision, contained)
  return { bump: floor - contained, revisionFloor: floor }
}

async function describe({ file }: RestoreRequest) {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  const contained = await snapshotRevision(file)
  return { contained, sha256: hash.digest('hex'), sizeBytes: (await stat(file)).size }
}

/** Existing pods stay: only vplane replaces pods of etcd. */
async function applyEtcd(
  api: Host['api'],
  { record }: Pick<Journal, 'record'>,
  { place, restore, signal }: { place: PlacedName; restore?: PodRestore; signal: AbortSignal },
): Promise<void> {
  const files = await storedKeys(api, place, signal)
  const { configuration, statefulSet } = storeObjects({ files, journal: { record }, place })
  const { etcdMembers, id, spec } = record
  const podPlace = { ...place, id, spec, etcdMembers, initialState: 'existing' } as const
  const etcd = restore === undefined ? statefulSet : withRestore(statefulSet, podPlace, restore)
  await applyObjects(api, [...configuration, etcd], signal)
}

/** Waits until the host has observed that the template of etcd is the ordinary one again. */
async function restoredPodsOf(
  api: Host['api'],
  { place, signal }: { place: PlacedName; signal: AbortSignal },
): Promise<RestoredPods | undefined> {
  const { pods, statefulSet } = await waitFor((deadline) => observeEtcd(api, place, deadline), {
    what: 'the host to observe its StatefulSet',
    timeoutMs: OBSERVED_MS,
    signal,
  })
  return restoredPods(statefulSet, pods)
}
