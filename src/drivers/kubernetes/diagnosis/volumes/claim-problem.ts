import type { KubeObject } from '../../../../shared/kube/kube-object.ts'
import { kubectl } from '../../context/kubectl-hint.ts'
import { type HostNote, notesAbout, timesNoted } from '../../host/host-pod.ts'
import type { Problem, ProblemContext } from '../../context/problem.ts'

/** A provisioner that fails twice has been asked again already. */
const PATIENT_TRIES = 2

/** A volume that etcd asks for. */
export interface VolumeClaim extends KubeObject {
  spec?: { storageClassName?: string }
  status?: { phase?: string }
}

export function isVolumeClaim(object: KubeObject): object is VolumeClaim {
  return object.kind === 'PersistentVolumeClaim'
}

/** Why a volume is not there; undefined when it is, or may still come. */
export function claimProblem(
  claim: VolumeClaim,
  notes: readonly HostNote[],
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
    // A volume that somebody made may be found in a moment.
    const isUnbound = notesAbout(claim, notes, 'FailedBinding').length > 0
    return {
      state: 'Pending',
      reason: `nothing makes volume "${metadata.name}": the host cluster has no default StorageClass`,
      hints: [{ storageClass: 'NAME' }, { ephemeral: true }, describe],
      final: isUnbound,
    }
  }
  const failed = notesAbout(claim, notes, 'ProvisioningFailed')
  const message = failed.at(-1)?.message?.trim()
  if (message === undefined) {
    return undefined
  }
  const isUnknown = /storageclass\S* "[^"]*" not found/.test(message)
  return {
    state: 'ProvisioningFailed',
    reason: isUnknown
      ? `the host cluster has no StorageClass "${className}"`
      : `StorageClass "${className}" cannot make volume "${metadata.name}": ${message}`,
    hints: [{ purpose: 'another class', storageClass: 'NAME' }, { ephemeral: true }, describe],
    final: isUnknown || timesNoted(failed) >= PATIENT_TRIES,
  }
}
