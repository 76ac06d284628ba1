import { numberAt, recordsAt, textsAt } from '../../shared/json-fields.ts'
import { objectPath, type Resource } from '../../shared/kube/collections.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { waitFor } from '../../shared/wait.ts'
import type { PlaneApi } from '../api/plane-api.ts'
import { listObjects } from '../api/list-objects.ts'
import { deletePod, hasNode } from '../api/pods.ts'
import { unlessMissing } from '../api/unless-missing.ts'
import { METRICS_API, METRICS_SERVICE } from './prepare-sync.ts'
import { isControlled } from './plane-workloads.ts'
import { isVirtual } from './virtual-label.ts'

type LeavingApi = Pick<PlaneApi, 'delete' | 'get' | 'patch'>

/** What a syncer creates in its plane for something of the host. Volumes stay: their claims keep their data. */
const CREATED = [
  'nodes',
  'storageclasses',
  'ingressclasses',
  'runtimeclasses',
  'priorityclasses',
] as const

const EXPOSED = ['services', 'ingresses'] as const

/** The counts that controllers set to 0 once no pod runs. */
const READY: ReadonlyArray<readonly [Resource, string]> = [
  ['deployments', 'readyReplicas'],
  ['replicasets', 'readyReplicas'],
  ['statefulsets', 'readyReplicas'],
  ['daemonsets', 'numberReady'],
]

/** The controller that removes it does not run in a nodeless plane. */
const JOB_FINALIZER = 'batch.kubernetes.io/job-tracking'

/** How long controllers may take to notice that pods have stopped, in milliseconds. */
const NOTICE_MS = 30_000

/**
 * Deletes the pods that have run, the nodes, and all else that represents the host in a plane whose syncer has stopped, and
 * waits until the controllers of the plane have noticed it.
 * @throws {VplaneError} `TIMED_OUT` when they do not notice in time, and errors of the API.
 */
export async function leaveSync(api: LeavingApi, signal: AbortSignal): Promise<void> {
  await deleteMetrics(api, signal)
  const pods = (await listObjects(api, 'pods', signal)).filter(hasNode)
  await Promise.all(pods.map((pod) => deletePod(api, pod, signal)))
  for (const resource of CREATED) {
    const made = (await listObjects(api, resource, signal)).filter(isVirtual)
    await Promise.all(
      made.map(({ metadata: { name } }) => api.delete(objectPath(resource, { name }), { signal })),
    )
  }
  for (const resource of EXPOSED) {
    const exposed = (await listObjects(api, resource, signal)).filter(hasLoadBalancer)
    const body = { status: { loadBalancer: null } }
    await Promise.all(
      exposed.map(({ metadata }) =>
        unlessMissing(
          api.patch(`${objectPath(resource, metadata)}/status`, body, { type: 'merge', signal }),
        ),
      ),
    )
  }
  const what = 'the controllers of the plane to notice that its pods have stopped'
  await waitFor((deadline) => isQuiet(api, deadline), {
    what,
    timeoutMs: NOTICE_MS,
    intervalMs: 200,
    signal,
  })
}

/**
 * Deletes the pods of controllers, which create them again when the plane runs pods again. Their controllers must not run
 * any more.
 */
export async function deleteControlledPods(api: LeavingApi, signal: AbortSignal): Promise<void> {
  const pods = (await listObjects(api, 'pods', signal)).filter(isControlled)
  await Promise.all(
    pods.map(async (pod) => {
      const finalizers = textsAt(pod.metadata, 'finalizers')
      if (finalizers.includes(JOB_FINALIZER)) {
        const body = { metadata: { finalizers: finalizers.filter((one) => one !== JOB_FINALIZER) } }
        const path = objectPath('pods', pod.metadata)
        await unlessMissing(api.patch(path, body, { type: 'merge', signal }))
      }
      await deletePod(api, pod, signal)
    }),
  )
}

/** A registered API that does not answer blocks the deletion of namespaces. */
async function deleteMetrics(api: LeavingApi, signal: AbortSignal): Promise<void> {
  for (const path of [METRICS_API, objectPath('services', METRICS_SERVICE)]) {
    const found = await api.get(path, { signal })
    if (found !== undefined && isVirtual(found)) {
      await api.delete(path, { signal })
    }
  }
}

async function isQuiet(api: LeavingApi, signal: AbortSignal): Promise<boolean> {
  const ready = await Promise.all(
    READY.map(async ([resource, count]) =>
      (await listObjects(api, resource, signal)).some(
        (one) => (numberAt(one, 'status', count) ?? 0) > 0,
      ),
    ),
  )
  const slices = await listObjects(api, 'endpointslices', signal)
  return !ready.includes(true) && !slices.some(leadsToPods)
}

/** Slices of the controller; those of users stay as they are. */
function leadsToPods(slice: KubeObject): boolean {
  const manager = slice.metadata.labels?.['endpointslice.kubernetes.io/managed-by']
  return manager === 'endpointslice-controller.k8s.io' && recordsAt(slice, 'endpoints').length > 0
}

function hasLoadBalancer(object: KubeObject): boolean {
  return recordsAt(object, 'status', 'loadBalancer', 'ingress').length > 0
}
