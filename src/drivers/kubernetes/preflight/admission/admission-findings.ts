import type { Finding } from '../../../../control-plane/status/finding.ts'
import { httpStatusOf } from '../../../../kube/kube-error.ts'
import { messageOf } from '../../../../shared/errors.ts'
import type { HostApi, HostObject } from '../../host/host-api.ts'
import type { CommandPlace } from '../../context/kubectl-hint.ts'
import { explainRefusal } from './explain-refusal.ts'
import { hostResourceOf } from '../../host/host-resource.ts'
import { type Workload, workloadsOf } from '../../host/workload.ts'

interface Options extends CommandPlace {
  signal: AbortSignal
}

/**
 * What the host's admission says of the pods to come: one of each workload is created as a dry run, which stores
 * nothing. It sees policies, webhooks and priority classes, whatever they are.
 */
export function podFindings(
  api: Pick<HostApi, 'create'>,
  manifests: readonly HostObject[],
  options: Options,
): Promise<Finding[]> {
  return admissionFindings(api, workloadsOf(manifests).map(trialPod), options)
}

/** The same for what leads to the plane from outside: others may have taken its port, or the name of its host. */
export function entranceFindings(
  api: Pick<HostApi, 'create'>,
  manifests: readonly HostObject[],
  options: Options,
): Promise<Finding[]> {
  return admissionFindings(api, manifests.filter(isEntrance), options)
}

async function admissionFindings(
  api: Pick<HostApi, 'create'>,
  trials: readonly HostObject[],
  options: Options,
): Promise<Finding[]> {
  const findings = await Promise.all(trials.map((trial) => tried(api, trial, options)))
  const refused = findings.filter((finding) => finding !== undefined)
  const different = Map.groupBy(refused, ({ message, subject }) => `${subject}: ${message}`)
  return [...different.values()].flatMap((same) => same.slice(0, 1))
}

function isEntrance({ kind, spec }: HostObject & { spec?: { type?: string } }): boolean {
  const isOpen = spec?.type === 'NodePort' || spec?.type === 'LoadBalancer'
  return kind === 'Ingress' || (kind === 'Service' && isOpen)
}

/** A pod of a workload, for a dry run. */
export function trialPod({ metadata, spec }: Workload): HostObject {
  const { metadata: template, spec: whole = {} } = spec?.template ?? {}
  // The account is made with the plane; no pod is tried with one that is not there yet.
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

async function tried(
  api: Pick<HostApi, 'create'>,
  object: HostObject,
  { hostContext, namespace, signal }: Options,
): Promise<Finding | undefined> {
  const { collection } = hostResourceOf(object, namespace)
  try {
    await api.create(collection, object, { dryRun: true, signal })
    return undefined
  } catch (error) {
    const status = httpStatusOf(error)
    if (status === undefined) {
      throw error
    }
    return explainRefusal(
      { status, message: messageOf(error), kind: object.kind },
      { hostContext, namespace },
    )
  }
}
