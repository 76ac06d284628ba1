import { expect, test } from 'vitest'
import { refuseOtherStep } from '../../../src/control-plane/rotation/refuse-step.ts'
import {
  ROTATED_KEYS,
  ROTATION_STAGES,
  type RotationProgress,
  type RotationStage,
} from '../../../src/control-plane/rotation/rotation.ts'
import { ROTATION_WORDS } from '../../../src/control-plane/rotation/rotation-words.ts'

const PAIRS = ROTATED_KEYS.flatMap((keys) => ROTATION_STAGES.map((stage) => ({ keys, stage })))

test.for(PAIRS)('accepts the step $stage of $keys only if it is the next one', (step) => {
  const reached: Array<[RotationProgress, RotationStage]> = [
    [{}, 'prepare'],
    [{ taken: 'prepare' }, 'switch'],
    [{ taken: 'switch' }, 'complete'],
    [{ taken: 'prepare', unfinished: { keys: step.keys, stage: 'prepare' } }, 'prepare'],
    [{ taken: 'switch', unfinished: { keys: step.keys, stage: 'switch' } }, 'switch'],
    [{ unfinished: { keys: step.keys, stage: 'complete' } }, 'complete'],
  ]

  for (const [progress, next] of reached) {
    const refuse = () => refuseOtherStep('dev', progress, step)
    if (next === step.stage) {
      expect(refuse).not.toThrow()
    } else {
      expect(refuse).toThrow(`the rotation of ${ROTATION_WORDS[step.keys].what} of "dev"`)
    }
  }
})
