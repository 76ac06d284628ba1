import type { Operation } from '../../../control-plane/driver/operation.ts'
import { specsOf } from '../../../control-plane/spec/plane-specs.ts'
import { refuseOtherStep } from '../../../control-plane/rotation/refuse-other-step.ts'
import type { RotationRequest } from '../../../control-plane/rotation/rotation.ts'
import { finish, withPending } from '../../../pki/rotation/pending-rotation.ts'
import { beginStage, rotationProgress } from '../../../pki/rotation/rotations.ts'
import { changePlane } from './change-plane.ts'
import { refuseHalfRestored } from '../../../control-plane/plane/refuse-half-restored.ts'
import type { StartContext } from '../components/start-context.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import { readPki } from '../certificates/read-pki.ts'
import { writePki } from '../certificates/write-pki.ts'

/**
 * Takes a stage of a rotation, or goes on with the one that was cut off: writes down what is to be, then the files, and
 * starts the components again that read them at their start. Whoever calls holds the plane's lock.
 *
 * @throws {VplaneError} as `refuseOtherStep`, `untilSafe`, `beginStage`, `changePlane` and `untilSettled` do.
 */
export async function rotateKeys(
  context: StartContext,
  record: PlaneRecord,
  { operation, request }: { request: RotationRequest; operation: Operation },
): Promise<void> {
  refuseHalfRestored(record)
  const { pki } = context.store.folder(record.name)
  const found = await readPki(pki)
  refuseOtherStep(record.name, rotationProgress(found, request.keys), request)
  await request.untilSafe?.()
  const begun = await beginStage(found, request, context.now())
  // First the one file that says how all others are to be.
  await writePki(pki, found, begun)
  await writePki(pki, begun, withPending(begun))
  const specs = specsOf(record)
  await changePlane(context, record, { change: { ...specs, from: specs }, operation })
  await request.untilSettled?.()
  const done = await readPki(pki)
  await writePki(pki, done, finish(done))
}
