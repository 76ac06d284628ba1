/** What of a plane is rotated in stages. */
export const ROTATED_KEYS = ['ca', 'service-account-key', 'encryption-key'] as const
export type RotatedKeys = (typeof ROTATED_KEYS)[number]

/** The stages of a rotation, in their order: trust both, use the new one, trust the new one only. */
export const ROTATION_STAGES = ['prepare', 'switch', 'complete'] as const
export type RotationStage = (typeof ROTATION_STAGES)[number]

/** One stage of the rotation of some keys. */
export interface RotationStep {
  keys: RotatedKeys
  stage: RotationStage
}

/** A stage that is to be taken. */
export interface RotationRequest extends RotationStep {
  /**
   * Called while the plane is held, before anything is changed: returns when nothing needs what the stage drops.
   *
   * @default nothing does
   */
  untilSafe?: () => Promise<void>
  /**
   * Called while the plane is held, when its components run by the other keys: returns when all else knows them that has
   * to. A stage that is cut off before that is gone on with.
   *
   * @default nothing else has to
   */
  untilSettled?: () => Promise<void>
}

/** How far a rotation has come. */
export interface RotationProgress {
  /** The last stage that was taken; undefined while no rotation is under way. */
  taken?: Exclude<RotationStage, 'complete'>
  /** The step, of whatever rotation of the plane, that was begun and cut off: nothing else goes before it is done. */
  unfinished?: RotationStep
}

/**
 * The stages that are to be taken, in their order: the next one, or all up to and including `until`. One that was cut off
 * is taken again first.
 */
export function stagesAhead(
  { taken, unfinished }: RotationProgress,
  until?: RotationStage,
): RotationStage[] {
  const next = taken === undefined ? 0 : ROTATION_STAGES.indexOf(taken) + 1
  const first = unfinished === undefined ? next : ROTATION_STAGES.indexOf(unfinished.stage)
  const last = until === undefined ? first : ROTATION_STAGES.indexOf(until)
  const begun = unfinished === undefined ? last : Math.max(first, last)
  return ROTATION_STAGES.slice(first, begun + 1)
}
