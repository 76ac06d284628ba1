import type {
  RotatedKeys,
  RotationProgress,
  RotationStage,
  RotationStep,
} from '../../control-plane/rotation/rotation.ts'
import type { PkiFiles } from '../plane/certificate-expiry.ts'
import { AUTHORITY_STAGES, authorityStage } from './authority-stages.ts'
import { ENCRYPTION_KEY_STAGES, encryptionKeyStage } from './encryption-key-stages.ts'
import { begin, pendingStep, withPending } from './pending-rotation.ts'
import { SERVICE_ACCOUNT_KEY_STAGES, serviceAccountKeyStage } from './service-account-key-stages.ts'

interface Rotation {
  /** The last completed stage; undefined without a rotation. */
  taken: (files: PkiFiles) => RotationProgress['taken']
  stages: Record<RotationStage, (files: PkiFiles, now: Date) => PkiFiles | Promise<PkiFiles>>
}

const ROTATIONS: Record<RotatedKeys, Rotation> = {
  ca: { taken: authorityStage, stages: AUTHORITY_STAGES },
  'service-account-key': { taken: serviceAccountKeyStage, stages: SERVICE_ACCOUNT_KEY_STAGES },
  'encryption-key': { taken: encryptionKeyStage, stages: ENCRYPTION_KEY_STAGES },
}

/** The progress of a rotation. @throws {VplaneError} `FAILED` when the record of a stage cannot be read. */
export function rotationProgress(files: PkiFiles, keys: RotatedKeys): RotationProgress {
  const taken = ROTATIONS[keys].taken(withPending(files))
  const unfinished = pendingStep(files)
  return {
    ...(taken === undefined ? {} : { taken }),
    ...(unfinished === undefined ? {} : { unfinished }),
  }
}

/** Records a stage to run, unless one was begun. @throws {VplaneError} `FAILED` when keys of the plane are missing. */
export async function beginStage(
  files: PkiFiles,
  { keys, stage }: RotationStep,
  now: Date,
): Promise<PkiFiles> {
  if (pendingStep(files) !== undefined) {
    return files
  }
  return begin(files, await ROTATIONS[keys].stages[stage](files, now), { keys, stage })
}
