import type { Operation } from '../../../control-plane/driver/operation.ts'
import { componentsOf } from '../../../control-plane/plane/plane.ts'
import { refuseHalfRotated } from '../../../control-plane/rotation/refuse-half-rotated.ts'
import type { PlaneSpec } from '../../../control-plane/spec/spec.ts'
import { secretNames } from '../../../manifests/object-names.ts'
import {
  leavesToRenew,
  type RenewalOptions,
  renewLeaves,
} from '../../../pki/plane/certificate-expiry.ts'
import { pendingStep } from '../../../pki/rotation/pending-rotation.ts'
import { objectPath } from '../../../shared/kube/collections.ts'
import { certificateFields, wholeKeys } from '../objects/stored-keys.ts'
import { keysIn, readSecrets } from '../objects/plane-keys.ts'
import type { KubernetesContext } from '../context/context.ts'
import type { HostApi } from '../host/host-api.ts'
import type { Journal } from '../record/journal.ts'
import type { PlacedName } from '../context/object-names.ts'
import { holdPlane, refuseHalfDeleted, refuseHalfMade, tryHoldPlane } from '../record/hold-plane.ts'
import type { PlaneRecord } from '../record/plane-record.ts'
import { replaceFiles } from './replace-files.ts'
import type { KubeObject } from '../../../shared/kube/kube-object.ts'

/**
 * Issues all leaf certificates of a plane anew, and puts them into its Secrets: the pods read them again by themselves
 * within about a minute, when their node has brought them the Secrets. A plane that rests stays at rest.
 *
 * @returns the names of the certificates that were issued.
 * @throws {VplaneError} `FAILED` when its keys are gone, it is half made or a rotation was cut off, and as `holdPlane` does.
 */
export async function renewPlaneLeaves(
  { host, now }: Pick<KubernetesContext, 'host' | 'now'>,
  { id, place }: { id: string; place: PlacedName },
  operation: Operation,
): Promise<string[]> {
  const { signal, ui } = operation
  const { api } = await host()
  const options = { place, id, operation: 'rotate', now } as const
  await using held = await holdPlane({ api }, options, operation)
  const { journal } = held
  refuseHalfDeleted(journal.record)
  refuseHalfMade(journal.record)
  ui.step('Issuing certificates')
  const due = { now: now(), withinMs: Infinity }
  const secrets = await readSecrets(api, place, signal)
  refuseHalfRotated(place.name, pendingStep(keysIn(secrets)))
  return await renewHeld(api, journal, { place, secrets, due, signal })
}

/**
 * Issues those leaf certificates of a plane anew that are in their last 90 days, as `renewPlaneLeaves` does, and goes on
 * with what was cut off of that.
 *
 * @returns their names; undefined when it is not the time, as somebody else works on the plane, or did and was cut off.
 * @throws {VplaneError} `FAILED` when its keys are gone, `CONTROL_PLANE_NOT_FOUND` when it is gone.
 */
export async function renewDueLeaves(
  api: HostApi,
  { id, now, place }: { id: string; place: PlacedName; now: () => Date },
  signal: AbortSignal,
): Promise<string[] | undefined> {
  const options = { place, id, operation: 'rotate', now } as const
  await using held = await tryHoldPlane({ api }, options, signal)
  if (held === undefined || !isFree(held.journal.record)) {
    return undefined
  }
  const secrets = await namedSecrets(api, place, { spec: held.journal.record.spec, signal })
  return pendingStep(keysIn(secrets)) === undefined
    ? await renewHeld(api, held.journal, { place, secrets, due: { now: now() }, signal })
    : undefined
}

/** Nothing was begun with the plane and is not done, but for what this does. */
function isFree({ desired, isComplete, journal, movingTo, restoring }: PlaneRecord): boolean {
  const isOther = journal !== undefined && !['maintain', 'rotate'].includes(journal.operation)
  return (
    desired !== 'kept' &&
    isComplete &&
    !isOther &&
    movingTo === undefined &&
    restoring === undefined
  )
}

/** Each is asked for by its name: nobody can be given those of a selector alone, and a keeper is to see no others. */
async function namedSecrets(
  api: Pick<HostApi, 'get'>,
  { name, namespace }: PlacedName,
  { signal, spec }: { spec: PlaneSpec; signal: AbortSignal },
): Promise<KubeObject[]> {
  const secrets = await Promise.all(
    secretNames(name, componentsOf(spec)).map((secret) =>
      api.get(objectPath('secrets', { name: secret, namespace }), { signal }),
    ),
  )
  return secrets.filter((secret) => secret !== undefined)
}

interface RenewOptions {
  place: PlacedName
  /** All that hold keys of the plane. */
  secrets: readonly KubeObject[]
  due: RenewalOptions
  signal: AbortSignal
}

/** That all is done is written down last: until then the certificates say what is due. */
async function renewHeld(
  api: Pick<HostApi, 'apply'>,
  journal: Journal,
  { due, place, secrets, signal }: RenewOptions,
): Promise<string[]> {
  const kept = wholeKeys(keysIn(secrets), place)
  const names = leavesToRenew(kept, due)
  const files = { ...kept, ...renewLeaves(kept, due) }
  await journal.step('replacing certificates')
  await replaceFiles(api, secrets, { place, files, signal })
  await journal.finish(certificateFields(files))
  return names.map((name) => name.replace(/\.crt$/, '')).toSorted()
}
