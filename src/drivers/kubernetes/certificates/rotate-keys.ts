import { refuseOtherStep } from '../../../control-plane/rotation/refuse-step.ts'
import type { RotationStep } from '../../../control-plane/rotation/rotation.ts'
import { objectName } from '../../../manifests/object-names.ts'
import { finish, withPending } from '../../../pki/rotation/pending-rotation.ts'
import { beginStage, rotationProgress } from '../../../pki/rotation/rotations.ts'
import { rollComponents } from '../rollout/roll-components.ts'
import type { KubernetesContext, PlaneOperation } from '../context/context.ts'
import { applyKeys } from '../maintain/apply-keys.ts'
import { certificateFields, storedKeys } from '../objects/stored-keys.ts'
import { holdPlane, refuseDataLoss } from '../record/hold-plane.ts'
import type { PlaneRecord } from '../record/plane-record.ts'

export interface RotateKeysOptions extends PlaneOperation {
  step: RotationStep
  /** Called before any change: returns when nothing needs the keys that the stage removes. */
  untilSafe: () => Promise<void>
  /** Called when the components use the new keys, before the stage is finished. */
  untilSettled: (record: PlaneRecord) => Promise<void>
}

/**
 * Takes a stage of a rotation, or continues an interrupted one: stores the new keys beside those of the CAs, then
 * applies them to the Secrets of the components, and replaces the pods that read them.
 *
 * @throws {VplaneError} `FAILED` when it is not the next stage, keys are lost or another operation was interrupted.
 */
export async function rotateKeys(
  { diagnose, host: openHost, now }: Pick<KubernetesContext, 'host' | 'now' | 'diagnose'>,
  { id, operation, place, step, untilSafe, untilSettled }: RotateKeysOptions,
): Promise<void> {
  const host = await openHost()
  const { signal, ui } = operation
  const options = { place, id, operation: 'rotate', keys: step.keys, now } as const
  await using held = await holdPlane(host, options, operation)
  const { journal } = held
  // The CAs include that of etcd, whose pods are replaced then.
  if (step.keys === 'ca') {
    refuseDataLoss(journal.record, [
      'its other keys can be rotated',
      'create a new plane for new CAs',
    ])
  }
  const stored = await storedKeys(host.api, place, signal)
  refuseOtherStep(place.name, rotationProgress(stored, step.keys), step)
  await untilSafe()
  const begun = await beginStage(stored, step, now())
  const files = withPending(begun)
  const applied = { place, record: journal.record, signal }
  ui.step('Applying keys')
  await journal.step('writing down other keys')
  await applyKeys(host.api, { ...applied, files: begun, only: objectName(place.name, 'ca') })
  await journal.step('applying other keys', certificateFields(files))
  await applyKeys(host.api, { ...applied, files })
  await rollComponents({ diagnose, files, host, journal, now, operation, place })
  await untilSettled(journal.record)
  await journal.step('finishing a rotation')
  await applyKeys(host.api, { ...applied, files: finish(begun) })
  await journal.finish()
}
