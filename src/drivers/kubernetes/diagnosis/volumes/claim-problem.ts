import type { KubeObject } from '../../../../shared/kube/kube-object.ts'
import { kubectl } from '../../context/kubectl-hint.ts'
import { type HostEvent, eventsAbout, timesReported } from '../../host/host-pod.ts'
import type { Problem, ProblemContext } from '../../context/problem.ts'

/** After this many failed attempts of the provisioner the problem is final. */
const PATIENT_TRIES = 2

export interface VolumeClaim extends KubeObject {
  spec?: { storageClassName?: string }
  status?: { phase?: string }
}

export function isVolumeClaim(object: KubeObject): object is VolumeClaim {
  return object.kind === 'PersistentVolumeClaim'
}

/** Returns why a volume is missing; undefined when it exists, or may still be created. */
export function claimProblem(
  claim: VolumeClaim,
  events: readonly HostEvent[],
  context: ProblemContext,
): Problem | undefined {
  const { metadata, spec, status } = claim
  const describe = kubectl(context, `describe pvc ${metadata.name}`)
  if (status?.phase === 'Lost') {
    const reason = `volume "${metadata.name}" has lost its storage`
    return { state: 'Lost', reason, hints: [describe], final: true }
  }
  if (status?.phase !== 'Pending') {
    return undefined
  }
  const className = spec?.storageClassName ?? ''
  if (className === '') {
    // Without that event the host may still find an existing volume for the claim.
    const isUnbound = eventsAbout(claim, events, 'FailedBinding').length > 0
    return {
      state: 'Pending',
      reason: `nothing creates volume "${metadata.name}": the host cluster has no default StorageClass`,
      hints: [{ storageClass: 'NAME' }, { ephemeral: true }, describe],
      final: isUnbound,
    }
  }
  const failed = eventsAbout(claim, events, 'ProvisioningFailed')
  const message = failed.at(-1)?.message?.trim()
  if (message === undefined) {
    return undefined
  }
  const isUnknown = /storageclass\S* "[^"]*" not found/.test(message)
  return {
    state: 'ProvisioningFailed',
    reason: isUnknown
      ? `the host cluster has no StorageClass "${className}"`
      : `StorageClass "${className}" cannot create volume "${metadata.name}": ${message}`,
    hints: [{ purpose: 'another class', storageClass: 'NAME' }, { ephemeral: true }, describe],
    final: isUnknown || timesReported(failed) >= PATIENT_TRIES,
  }
}
