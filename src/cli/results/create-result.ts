import type { CreateResult as MadePlane } from '../../control-plane/use-cases/create/create-control-plane.ts'
import type { PlannedPlane } from '../request/plan-plane.ts'
import type { Timing } from '../terminal/timings.ts'
import { type CreatePlanResult, toCreatePlanResult } from './create-plan-result.ts'
import { type PlaceResult, toPlaceResult } from './place-result.ts'

/** What `create` prints for a plane: part of the contract in schemas/. */
export interface CreateResult extends PlaceResult {
  name: string
  version: string
  /** False when it was there before, with the same spec. */
  created: boolean
  ready: boolean
  /** Null when there is none, or it was one of this command alone. */
  server: string | null
  /** The context that leads to it now; null when create did not connect. */
  context: string | null
  /** Where the time went; null without --timings. */
  timings: Timing[] | null
  /** What would be created; null without --dry-run. */
  plan: CreatePlanResult | null
}

/** What was created. */
export function toCreateResult({ access, isNew, plane }: MadePlane): CreateResult {
  return {
    name: plane.name,
    ...toPlaceResult(plane),
    version: plane.spec.version,
    created: isNew,
    ready: access !== undefined,
    server: access === undefined || access.isTransient === true ? null : access.server,
    context: null,
    timings: null,
    plan: null,
  }
}

/** What a dry run found. */
export function toPlannedResult(plan: PlannedPlane): CreateResult {
  const { existing, name, place, spec } = plan
  return {
    name,
    ...toPlaceResult(place),
    version: (existing?.spec ?? spec).version,
    created: false,
    ready: false,
    server: null,
    context: null,
    timings: null,
    plan: toCreatePlanResult(plan),
  }
}
