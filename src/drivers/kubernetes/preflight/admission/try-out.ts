import type { AnyComponentName } from '../../../../control-plane/plane/plane.ts'
import type { Finding } from '../../../../control-plane/status/finding.ts'
import { httpStatusOf } from '../../../../kube/kube-error.ts'
import { isRecord, recordAt } from '../../../../shared/json-fields.ts'
import { messageOf } from '../../../../shared/errors.ts'
import type { HostApi } from '../../host/host-api.ts'
import type { CommandPlace } from '../../context/kubectl-hint.ts'
import { explainRefusal } from './explain-refusal.ts'
import { hostResourceOf } from '../../host/host-resource.ts'
import type { Workload } from '../../host/workload.ts'
import type { KubeObject } from '../../../../shared/kube/kube-object.ts'

interface Options extends CommandPlace {
  component?: AnyComponentName | undefined
  signal: AbortSignal
}

export interface Tried {
  /** As the host would store it; the given object if the host refuses it. */
  object: KubeObject
  refusals: Finding[]
}

/** Creates an object as a dry run, and explains the refusals of the host's admission. */
export async function tryOut(
  api: Pick<HostApi, 'create'>,
  object: KubeObject,
  options: Options,
): Promise<Tried> {
  const { component, hostContext, namespace, signal } = options
  const { collection } = hostResourceOf(object, namespace)
  try {
    const stored = await api.create(collection, object, { dryRun: true, signal })
    return { object: stored, refusals: [] }
  } catch (error) {
    const status = httpStatusOf(error)
    if (status === undefined) {
      throw error
    }
    const message = messageOf(error)
    const refusal = explainRefusal(
      { status, message, kind: object.kind, component },
      { hostContext, namespace },
    )
    const rest = withoutRefused(object, message)
    const more = rest === undefined ? { object, refusals: [] } : await tryOut(api, rest, options)
    const first = refusal === undefined ? [] : [withComponent(refusal, component)]
    return { object: more.object, refusals: [...first, ...more.refusals] }
  }
}

/** Refusals by limits do not name the pod. */
function withComponent(refusal: Finding, component: AnyComponentName | undefined): Finding {
  return refusal.subject === 'limits' && component !== undefined
    ? { ...refusal, message: `${component}: ${refusal.message}` }
    : refusal
}

/** Removes what the host refuses before it checks limits and quotas; undefined without that. */
function withoutRefused(pod: KubeObject, message: string): KubeObject | undefined {
  const spec = recordAt(pod, 'spec') ?? {}
  const { priorityClassName, securityContext, ...others } = spec
  if (message.includes('no PriorityClass') && priorityClassName !== undefined) {
    return { ...pod, spec: { ...others, securityContext } }
  }
  if (message.includes('security context constraint') && isRecord(securityContext)) {
    const { fsGroup: _, runAsGroup: __, runAsUser, ...context } = securityContext
    return runAsUser === undefined
      ? undefined
      : { ...pod, spec: { ...spec, securityContext: context } }
  }
  return undefined
}

/** Returns a pod of a workload for a dry run. */
export function trialPod({ metadata, spec }: Workload): KubeObject {
  const { metadata: template, spec: whole = {} } = spec?.template ?? {}
  // The ServiceAccount may not exist yet, because it is created with the plane.
  const { serviceAccountName: _, ...pod } = whole
  const name = `${metadata.name}-preflight`
  // The StatefulSet controller adds these.
  const claims = (spec?.volumeClaimTemplates ?? []).map((claim) => claim.metadata?.name ?? '')
  const volumes = [
    ...(pod.volumes ?? []),
    ...claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
  ]
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...template, name },
    spec: { ...pod, volumes },
  }
}
