import type { AnyComponentName, Plane } from '../../../control-plane/plane/plane.ts'
import { VplaneError } from '../../../shared/errors.ts'
import type { Host, KubernetesContext } from '../context/context.ts'
import type { ComponentProblem, DelayedPod } from '../context/problem.ts'
import type { PlacedName } from '../context/object-names.ts'
import { areMembersComplete } from '../observed/is-as-wanted.ts'
import { isReadyPod, observePlane, type ObservedPlane } from '../observed/observed-plane.ts'
import { markData } from './mark-data.ts'
import { wantedReplicas } from '../observed/workloads.ts'
import { presentRecord } from '../record/record-store.ts'
import { isUnfinished } from '../record/plane-record.ts'
import { objectPath } from '../../../shared/kube/collections.ts'

export interface CheckOptions {
  place: PlacedName
  id: Plane['id']
  components: readonly AnyComponentName[]
  signal: AbortSignal
}

/**
 * Returns what keeps components from running for now. Records that etcd has data once all members do. Replaces pods whose
 * next start is delayed although what they need is ready now.
 *
 * @throws {VplaneError} `COMPONENT_FAILED` when one has ended or can never run, `CONTROL_PLANE_NOT_FOUND`.
 */
export async function checkComponents(
  context: Pick<KubernetesContext, 'diagnose' | 'now'>,
  host: Pick<Host, 'api' | 'context'>,
  options: CheckOptions,
): Promise<string | undefined> {
  try {
    return await check(context, host, options)
  } catch (error) {
    const { aborted, reason } = options.signal
    if (aborted && (error === reason || !(error instanceof VplaneError))) {
      // The caller has its own deadline, and may check again: a busy host is no fault of a component.
      return 'the host cluster does not answer in time'
    }
    throw error
  }
}

async function check(
  { diagnose, now }: Pick<KubernetesContext, 'diagnose' | 'now'>,
  { api, context: hostContext }: Pick<Host, 'api' | 'context'>,
  { components, id, place, signal }: CheckOptions,
): Promise<string | undefined> {
  const observed = await observePlane(api, place, signal)
  const { record } = presentRecord(observed.stored, { id, name: place.name })
  refuseEnded(place, observed, components)
  if (!record.hasData && !isUnfinished(record) && areMembersComplete(record, observed)) {
    await markData(api, { place, id, now }, signal).catch(() => {
      // The next check tries again.
      signal.throwIfAborted()
    })
  }
  const waiting = components.filter((component) => !observed.pods(component).some(isReadyPod))
  if (waiting.length === 0) {
    return undefined
  }
  const problems = await diagnose({ ...place, api, hostContext, signal })
  const holding = problems.filter(({ component }) => waiting.includes(component))
  const final = holding.find((problem) => problem.final)
  if (final !== undefined) {
    throw toFailure(place, final)
  }
  const delayed = holding.flatMap((problem) => problem.delayed ?? [])
  await Promise.all(
    delayed.map((pod) => replace(api, { ...pod, namespace: place.namespace }, signal)),
  )
  const [transient] = holding
  return transient && `${transient.component}: ${transient.reason}`
}

/**
 * Deletes a pod that ended while what it needs was not ready: the kubelet delays each start of a container more, up to five
 * minutes, and the first one in a new pod not at all.
 */
async function replace(
  api: Host['api'],
  { name, namespace, uid }: DelayedPod & { namespace: string },
  signal: AbortSignal,
): Promise<void> {
  const deletion = api.delete(objectPath('pods', { name, namespace }), { uid, signal })
  await deletion.catch(() => {
    // It starts later by itself.
    signal.throwIfAborted()
  })
}

/** Returns the error for a component that cannot run. */
export function toFailure(
  { name }: PlacedName,
  { component, hints, log = [], reason }: ComponentProblem,
): VplaneError {
  const words =
    log.length === 0 ? '' : `; its last lines:\n${log.map((line) => `  ${line}`).join('\n')}`
  const message = `${component} of "${name}" cannot run: ${reason}${words}`
  return new VplaneError('COMPONENT_FAILED', message, { hints })
}

/** Workloads that are missing, or are scaled to 0, do not recover by themselves. */
function refuseEnded(
  { name }: PlacedName,
  { workload }: ObservedPlane,
  components: readonly AnyComponentName[],
): void {
  for (const component of components) {
    const found = workload(component)
    if (found === undefined || wantedReplicas(found) === 0) {
      const why = found === undefined ? 'its workload is missing' : 'someone scaled it to 0'
      throw new VplaneError('COMPONENT_FAILED', `${component} of "${name}" has ended: ${why}`, {
        hints: [{ action: 'resume', plane: { name } }],
      })
    }
  }
}
