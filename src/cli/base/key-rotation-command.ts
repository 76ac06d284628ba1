import { Flags } from '@oclif/core'
import {
  type RotatedKeys,
  ROTATION_STAGES,
  type RotationStage,
} from '../../control-plane/rotation/rotation.ts'
import type { PlanStep } from '../../shared/plan-step.ts'
import { BaseCommand } from './base-command.ts'
import { changeFlags, changeOptionsOf } from '../flags/change-flags.ts'
import { nameArgument } from '../flags/flags.ts'
import { type PlaceResult, toPlaceResult } from '../results/place-result.ts'
import { type KeyRotation, rotateKeys } from '../../control-plane/use-cases/rotate/rotate-keys.ts'

/** What was rotated of a plane, in `--json` results: part of the contract in schemas/. */
export interface KeyRotationOutcome extends PlaceResult {
  name: string
  /** False when there was nothing to do, and with --dry-run. */
  changed: boolean
  /** The stages that were run, or would be, in order. */
  stages: RotationStage[]
  steps: PlanStep[]
  /** The stage that comes next; null when the rotation is complete. */
  next: RotationStage | null
}

/** A command that rotates some keys of a plane in stages. */
export abstract class KeyRotationCommand extends BaseCommand {
  static override readonly isContinuable = true
  static override readonly group = 'day two'
  static override readonly args = { name: nameArgument() }
  static override readonly flags = {
    ...changeFlags,
    stage: Flags.option({
      options: ROTATION_STAGES,
      summary: 'Runs this stage; by default the next one.',
    })(),
  }

  protected abstract readonly keys: RotatedKeys

  async run(): Promise<KeyRotationOutcome> {
    const { args, flags } = await this.parse(KeyRotationCommand)
    const { composition, selected } = await this.select(args.name, flags)
    const rotation = await rotateKeys(composition, {
      ...selected,
      ...changeOptionsOf(flags),
      keys: this.keys,
      until: flags.stage,
    })
    this.log(sentenceOf(rotation))
    return toOutcome(rotation)
  }
}

function toOutcome({ isChanged, next, plane, stages, steps }: KeyRotation): KeyRotationOutcome {
  return {
    name: plane.name,
    ...toPlaceResult(plane),
    changed: isChanged,
    stages,
    steps,
    next: next ?? null,
  }
}

function sentenceOf({ isChanged, next, plane, stages }: KeyRotation): string {
  if (stages.length === 0) {
    return `"${plane.name}" has completed that stage already; the next one is ${next}.`
  }
  if (!isChanged) {
    return 'Nothing was changed.'
  }
  return next === undefined
    ? `The rotation of "${plane.name}" is complete.`
    : `"${plane.name}" has completed ${stages.join(', ')}; the next stage is ${next}.`
}
