import { specsOf } from '../../../control-plane/spec/plane-specs.ts'
import { refuseOtherStep } from '../../../control-plane/rotation/refuse-step.ts'
import type { RotationRequest } from '../../../control-plane/rotation/rotation.ts'
import { finish, withPending } from '../../../pki/rotation/pending-rotation.ts'
import { beginStage, rotationProgress } from '../../../pki/rotation/rotations.ts'
import { changePlane } from './change-plane.ts'
import type { StartContext } from '../components/start-context.ts'
import type { HeldOperation } from '../store/hold-plane.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import { readPki, writePki } from '../certificates/pki-files.ts'

/**
 * Does a stage of a rotation, or continues an interrupted one: records the wanted files, writes them, and restarts the
 * components that read them only at their start. The caller holds the plane's lock.
 */
export async function rotateKeys(
  context: StartContext,
  record: PlaneRecord,
  { operation, request }: { request: RotationRequest; operation: HeldOperation },
): Promise<void> {
  const { pki } = context.store.folder(record.name)
  const found = await readPki(pki)
  refuseOtherStep(record.name, rotationProgress(found, request.keys), request)
  await context.findBinaries(record, operation)
  await request.untilSafe?.()
  const begun = await beginStage(found, request, context.now())
  await operation.begin?.('rotating keys')
  // First the file that records the wanted content of all others.
  await writePki(pki, found, begun)
  await writePki(pki, begun, withPending(begun))
  const specs = specsOf(record)
  await changePlane(context, record, { change: { ...specs, from: specs }, operation })
  await request.untilSettled?.()
  const done = await readPki(pki)
  await writePki(pki, done, finish(done))
}
