/** The keys of a plane that are rotated in stages. */
export const ROTATED_KEYS = ['ca', 'service-account-key', 'encryption-key'] as const
export type RotatedKeys = (typeof ROTATED_KEYS)[number]

/** The stages of a rotation, in their order: trust both keys, use the new one, trust only the new one. */
export const ROTATION_STAGES = ['prepare', 'switch', 'complete'] as const
export type RotationStage = (typeof ROTATION_STAGES)[number]

export interface RotationStep {
  keys: RotatedKeys
  stage: RotationStage
}

/** A request for one stage of a rotation. Both callbacks run while the plane is locked. */
export interface RotationRequest extends RotationStep {
  /** Called before anything changes: returns when nothing needs the keys that the stage removes. @default no wait */
  untilSafe?: () => Promise<void>
  /** Returns when all other clients know the components' keys; until then the stage is incomplete. @default no wait */
  untilSettled?: () => Promise<void>
}

export interface RotationProgress {
  /** The last completed stage. @default no rotation is in progress */
  taken?: Exclude<RotationStage, 'complete'>
  /** An interrupted step of any rotation of the plane, which must be completed first. */
  unfinished?: RotationStep
}

/** The next stage, or all stages up to and including `until`, in their order. An interrupted stage comes first, again. */
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
